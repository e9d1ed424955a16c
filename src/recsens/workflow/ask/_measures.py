"""Answers for the rules in ``measures.smk``."""

from collections.abc import Iterable

from recsens.artefacts.filesets import flat
from recsens.comparison.users import Users
from recsens.plugins import Plugin
from recsens.plugins.specs import Spec
from recsens.ranking.targets import Targets
from recsens.workflow.ask._components import Components, own_files_of
from recsens.workflow.ask._wildcards import Wildcards
from recsens.workflow.code_digests import classes_of


class OfMeasures(Components):
    """Rankings, and how metrics read them."""

    def rankings(self, _: Wildcards) -> list[str]:
        """The files of every ranking that metrics of positions read, ranking by ranking."""
        return flat(ranking.address.measured for ranking in self.plan.rankings.values())

    def cells(self, _: Wildcards) -> list[list[list[str | float | None]]]:
        """Views and relevance thresholds under which each of the study's rankings is measured."""
        return self._cells_of(self.plan.rankings)

    def depths(self, _: Wildcards) -> list[int]:
        """The cut-offs of all metrics, as depths for coverage, if a design has a ranking for each rating; empty otherwise.

        Without such a design, coverage follows from the lengths of users' rankings, and a new cut-off leaves the counts unchanged.
        """
        if all(Targets.build(design.targets).unit == "user" for design in self.plan.all_designs):
            return []
        return sorted({measured.cutoff for measured in self.plan.study.all_metrics() if not measured.is_whole})

    def measured_rankings(self, wildcards: Wildcards) -> list[str]:
        """The files of every ranking that a metric measures, as in `rankings`."""
        return flat(self.plan.rankings[folder].address.measured for folder in self._folders(wildcards))

    def measured_lists(self, wildcards: Wildcards) -> list[str]:
        """The additional files of every ranking that list metrics read, ranking by ranking; other metrics need none."""
        if self.metric(wildcards).reads != "lists":
            return []
        return flat(self.plan.rankings[folder].address.listed for folder in self._folders(wildcards))

    def measured_cells(self, wildcards: Wildcards) -> list[list[list[str | float | None]]]:
        """Views and relevance thresholds for each ranking that a metric measures."""
        return self._cells_of(self._folders(wildcards))

    def left_out(self, wildcards: Wildcards) -> list[list[list[str | float | None]]]:
        """The pairs among `measured_cells` under which the metric is not measured, because the study leaves it out there."""
        unmeasured, folders = self.plan.left_out.get(wildcards.metric, {}), self._folders(wildcards)
        if not unmeasured:
            return []
        return [[list(cell) for cell in self.plan.cells[each] if cell in unmeasured.get(each, ())] for each in folders]

    def _folders(self, wildcards: Wildcards) -> list[str]:
        """The folder of every ranking that a metric measures."""
        self.refuse_unmeasured(wildcards)
        return self.plan.measured_by[wildcards.metric]

    def _cells_of(self, folders: Iterable[str]) -> list[list[list[str | float | None]]]:
        return [[list(cell) for cell in self.plan.cells[folder]] for folder in folders]

    def cutoffs(self, wildcards: Wildcards) -> list[int]:
        """A metric's cut-offs."""
        return list(self.plan.cutoffs[wildcards.metric])

    def pooled_selections(self, wildcards: Wildcards) -> list[str]:
        """The user selections (B1) of all designs if the metric is pooled, because each has its own value; otherwise empty."""
        return list(map(str, self._selections(wildcards)))

    def item_tables(self, wildcards: Wildcards) -> list[str]:
        """The item columns of each filtered data set that is measured; empty if the metric reads no item columns."""
        if not getattr(self.metric(wildcards), "item_columns", ()):
            return []
        measured = (self.plan.rankings[folder].address for folder in self._folders(wildcards))
        return sorted({address.up_to("filter").side.item_columns for address in measured})

    def measuring_files(self, wildcards: Wildcards) -> list[str]:
        """The user's own files that a metric and, for a pooled metric, its user selections read."""
        return own_files_of([self.metric(wildcards), *map(Users.build, self._selections(wildcards))])

    def measuring_classes(self, wildcards: Wildcards) -> frozenset[type[Plugin]]:
        """The classes of a metric and, for a pooled metric, of its user selections."""
        selections = [("users", spec) for spec in self._selections(wildcards)]
        return classes_of([("metric", self.metric(wildcards).spec), *selections])

    def _selections(self, wildcards: Wildcards) -> list[Spec]:
        if self.metric(wildcards).unit != "pooled":
            return []
        return list(dict.fromkeys(design.users for design in self.plan.all_designs))
