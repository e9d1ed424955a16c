"""The rules that read, filter and split data and check target items."""

from functools import cached_property

from recsens.artefacts.addresses import Address
from recsens.comparison.users import Users
from recsens.errors import SpecError
from recsens.plugins import Plugin
from recsens.plugins.specs import Spec
from recsens.workflow.asked import AskedOfTargets
from recsens.workflow.code_digests import classes_of
from recsens.workflow.wiring._jobs import Wiring, own_files_of
from recsens.workflow.wiring._rule import Rule, Wildcards

DATASET, FILTERED, FOLD = map(Address.pattern, ("dataset", "filter", "fold"))


class DataWiring(Wiring):
    """The rules in ``data.smk``."""

    def rules(self) -> tuple[Rule, ...]:
        """Every rule of this stage."""
        return (self.ingest, self.truth, self.filter, self.side_tables, self.split, self.check)

    @cached_property
    def ingest(self) -> Rule:
        """From raw files to interactions."""
        return Rule.at(
            DATASET,
            "ingest",
            inputs={"files": self.files},
            outputs={"data": DATASET.data},
            params={
                "spec": self.spec_of_ratings,
                "address": self.address,
                "origin": self.origin,
                "digests": self.digests,
                **self.coded("ingest", self._dataset_classes),
            },
        )

    @cached_property
    def truth(self) -> Rule:
        """The complete relevance of a simulated data set."""
        return Rule.at(
            DATASET,
            "truth",
            inputs={},
            outputs={"arrays": DATASET.truth},
            params={
                "spec": self.spec("dataset"),
                "origin": self.origin,
                **self.coded("truth", self._dataset_classes),
            },
        )

    @cached_property
    def filter(self) -> Rule:
        """The interactions that a chain of filters keeps."""
        return Rule.at(
            FILTERED,
            "filter",
            inputs={"data": DATASET.data, "own_files": self.filter_files},
            outputs={"kept": FILTERED.data},
            params={
                "chain": self.chain,
                "origin": self.origin,
                "own_digests": self.digests_of(self.filter_files),
                **self.coded("filter", self._filter_classes),
            },
        )

    @cached_property
    def side_tables(self) -> Rule:
        """What is known of users and items beside their ratings, made only for what uses it."""
        return Rule.at(
            FILTERED,
            "side_tables",
            inputs={"data": FILTERED.data, "files": self.side_files},
            outputs={"side": FILTERED.side},
            params={
                "spec": self.spec("dataset"),
                "digests": self.side_digests,
                **self.coded("side_tables", self._dataset_classes),
            },
        )

    @cached_property
    def split(self) -> Rule:
        """The role of each interaction in a fold."""
        return Rule.at(
            FOLD,
            "split",
            inputs={"data": FILTERED.data, "own_files": self.own_files("split")},
            outputs={"roles": FOLD.roles, "record": FOLD.split_record},
            params={
                "own_digests": self.digests_of(self.own_files("split")),
                "spec": self.spec("split"),
                "origin": self.origin,
                **self.coded("split", self._split_classes),
            },
        )

    @cached_property
    def check(self) -> Rule:
        """Whether the data allow the target items of a design, before anything is fitted."""
        return Rule.at(
            FOLD,
            "check",
            "{targets}.{asked}",
            inputs={
                "data": FILTERED.data,
                "roles": FOLD.roles,
                "truth": self.truth_read,
                "side": self.side_checked,
                "own_files": self.check_files,
            },
            outputs={"record": FOLD.check_record("{targets}", "{asked}")},
            params={
                "targets": self.spec("targets"),
                "audiences": self.audiences,
                "user_columns": self.user_columns,
                "item_columns": self.item_columns,
                "own_digests": self.digests_of(self.check_files),
                "origin": self.origin,
                **self.coded("check", self._check_classes),
            },
        )

    # Inputs and parameters

    def files(self, wildcards: Wildcards) -> list[str]:
        """Raw files of a data set."""
        return list(map(str, self.plan.source_at(wildcards.dataset).files))

    def digests(self, wildcards: Wildcards) -> list[str]:
        """SHA-256 of each raw file."""
        return list(self.plan.source_at(wildcards.dataset).digests)

    def spec_of_ratings(self, wildcards: Wildcards) -> str:
        """The data set with every parameter but those that say what is known of users and items."""
        component = self.plan.source_at(wildcards.dataset).component
        return str(component.full_spec.without(*component.describing))

    def side_files(self, wildcards: Wildcards) -> list[str]:
        """Files that describe users and items of a data set."""
        return list(map(str, self.plan.source_at(wildcards.dataset).side_files))

    def side_digests(self, wildcards: Wildcards) -> list[str]:
        """SHA-256 of each of them."""
        return list(self.plan.source_at(wildcards.dataset).side_digests)

    def side_checked(self, wildcards: Wildcards) -> list[str]:
        """What is known of users and items, if some design or metric reads columns of it."""
        asked = self.asked(wildcards)
        return self.side_of(wildcards) if asked.user_columns or asked.item_columns else []

    def address(self, wildcards: Wildcards) -> str:
        """The spec that names a data set's folder."""
        return str(self.plan.source_at(wildcards.dataset).address)

    def chain(self, wildcards: Wildcards) -> str:
        """The chain of filters with every parameter."""
        return "+".join(str(link.full_spec) for link in self.filters(wildcards))

    def filter_files(self, wildcards: Wildcards) -> list[str]:
        """The user's own files that a chain of filters reads."""
        return own_files_of(self.filters(wildcards))

    def check_files(self, wildcards: Wildcards) -> list[str]:
        """The user's own files that target items and selections of users read."""
        selections = [Users.build(selection) for selection in self._selections(wildcards)]
        return own_files_of([self.component("targets", wildcards), *selections])

    def asked(self, wildcards: Wildcards) -> AskedOfTargets:
        """What a check is asked beside its target items.

        Raises
        ------
        SpecError
            If the wildcards name something else than the study asks.
        """
        asked = self.plan.asked(wildcards.dataset, wildcards.filter, wildcards.targets)
        if wildcards.asked != asked.digest:
            raise SpecError(f"the study asks something else of the target items '{wildcards.targets}'", allowed=asked.digest)
        return asked

    def audiences(self, wildcards: Wildcards) -> list[list[float | str | None]]:
        """Relevance threshold and selection of users (B1) of each design with these target items; no threshold comes first."""
        return self.asked(wildcards).audiences

    def user_columns(self, wildcards: Wildcards) -> list[str]:
        """Columns of the data set's table of users that weight users in some design."""
        return self.asked(wildcards).user_columns

    def item_columns(self, wildcards: Wildcards) -> list[str]:
        """Columns of the data sets' tables of items that some metric reads."""
        return self.asked(wildcards).item_columns

    # Classes of the components that a job names

    def _dataset_classes(self, wildcards: Wildcards) -> frozenset[type[Plugin]]:
        return classes_of([("dataset", self.component("dataset", wildcards).spec)])

    def _filter_classes(self, wildcards: Wildcards) -> frozenset[type[Plugin]]:
        return classes_of(("filter", link) for link in self.plan.filter_at(wildcards.filter))

    def _split_classes(self, wildcards: Wildcards) -> frozenset[type[Plugin]]:
        return classes_of([("split", self.plan.component_at("split", wildcards.split))])

    def _check_classes(self, wildcards: Wildcards) -> frozenset[type[Plugin]]:
        selections = [("users", selection) for selection in self._selections(wildcards)]
        return classes_of([("targets", self.plan.targets_at(wildcards.targets)[0]), *selections])

    def _selections(self, wildcards: Wildcards) -> list[Spec]:
        designs = self.plan.designs_with(wildcards.dataset, wildcards.filter, wildcards.targets)
        return list(dict.fromkeys(design.users for design in designs))
