"""Answers for the rules in ``data.smk``."""

from recsens.comparison.users import Users
from recsens.errors import SpecError
from recsens.metrics import Metric
from recsens.plugins import Plugin
from recsens.plugins.specs import Spec, parse
from recsens.recommenders import Recommender
from recsens.workflow.ask._components import Components, own_files_of
from recsens.workflow.ask._wildcards import Wildcards
from recsens.workflow.code_digests import classes_of
from recsens.workflow.target_checks import TargetCheckInputs


class OfData(Components):
    """Raw files, filters, splits and checks."""

    def raw_files(self, wildcards: Wildcards) -> list[str]:
        """The raw files of a data set."""
        return list(map(str, self.plan.source_at(wildcards.dataset).files))

    def raw_digests(self, wildcards: Wildcards) -> list[str]:
        """The SHA-256 of each raw file."""
        return list(self.plan.source_at(wildcards.dataset).digests)

    def ratings_spec(self, wildcards: Wildcards) -> str:
        """The data set with every parameter except those that describe users and items."""
        component = self.plan.source_at(wildcards.dataset).component
        return str(component.full_spec.without(*component.describing))

    def side_files(self, wildcards: Wildcards) -> list[str]:
        """The files that describe a data set's users and items."""
        return list(map(str, self.plan.source_at(wildcards.dataset).side_files))

    def side_digests(self, wildcards: Wildcards) -> list[str]:
        """The SHA-256 of each file in `side_files`."""
        return list(self.plan.source_at(wildcards.dataset).side_digests)

    def check_reads_side_tables(self, wildcards: Wildcards) -> bool:
        """Whether any design or metric reads columns of users or items."""
        inputs = self.target_check(wildcards)
        columns = (getattr(Metric.build(metric), "item_columns", ()) for metric in inputs.metrics)
        return bool(inputs.user_columns) or any(columns)

    def dataset_address(self, wildcards: Wildcards) -> str:
        """The spec that names a data set's folder."""
        return str(self.plan.source_at(wildcards.dataset).address)

    def check_files(self, wildcards: Wildcards) -> list[str]:
        """The user's own files that target items and user selections read."""
        selections = [Users.build(selection) for selection in self._users_of_checks(wildcards)]
        return own_files_of([self.component("targets", wildcards), *selections])

    def target_check(self, wildcards: Wildcards) -> TargetCheckInputs:
        """The inputs of a check other than its target items.

        Raises
        ------
        SpecError
            If the study does not contain the check that the wildcards name.
        """
        inputs = self.plan.target_check(wildcards.dataset, wildcards.filter, wildcards.targets)
        if wildcards.check != inputs.digest:
            raise SpecError(
                f"the study asks for a different check of the target items '{wildcards.targets}'", allowed=inputs.digest
            )
        return inputs

    def audiences(self, wildcards: Wildcards) -> list[list[float | str | None]]:
        """Relevance threshold and user selection (B1) of each design with these target items; missing thresholds come first."""
        return self.target_check(wildcards).audiences

    def user_columns(self, wildcards: Wildcards) -> list[str]:
        """Columns of the user table that weight users in any design."""
        return self.target_check(wildcards).user_columns

    def checked_metrics(self, wildcards: Wildcards) -> list[str]:
        """The metrics that may refuse the data."""
        return self.target_check(wildcards).metrics

    def check_classes(self, wildcards: Wildcards) -> frozenset[type[Plugin]]:
        """The classes of target items, of the user selections of designs with these target items, and of `checked_metrics`."""
        selections = [("users", selection) for selection in self._users_of_checks(wildcards)]
        metrics = [("metric", parse(metric)) for metric in self.checked_metrics(wildcards)]
        return classes_of([("targets", self.plan.targets_at(wildcards.targets)[0]), *selections, *metrics])

    def _users_of_checks(self, wildcards: Wildcards) -> list[Spec]:
        designs = self.plan.designs_with(wildcards.dataset, wildcards.filter, wildcards.targets)
        return list(dict.fromkeys(design.users for design in designs))

    # About the whole study

    def all_roles(self, _: Wildcards) -> list[str]:
        """The roles of every fold."""
        return [fold.roles for fold in self.plan.splits]

    def all_checks(self, _: Wildcards) -> list[str]:
        """The record of every target-item check."""
        return list(self.plan.checks)

    def all_side_tables(self, _: Wildcards) -> list[str]:
        """The side tables that any system needs for its fit; they are made, or refused, before the first fit."""
        read = (
            ranking for ranking in self.plan.rankings.values() if Recommender.build(ranking.system).side_information is not None
        )
        return sorted({path for ranking in read for path in ranking.address.up_to("filter").side})

    def truths(self, _: Wildcards) -> list[str]:
        """The complete relevance of every data set that has it."""
        sources = self.plan.sources.items()
        return [self.plan.designs[label][0].dataset_address.truth for label, source in sources if source.component.has_truth]
