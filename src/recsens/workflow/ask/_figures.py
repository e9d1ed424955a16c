"""Answers for the rule ``figure``: the data of a figure that a plug-in draws; other figures need no data."""

from collections.abc import Iterator

from recsens.artefacts.filesets import flat
from recsens.errors import SpecError
from recsens.plugins import Plugin
from recsens.plugins.specs import parse
from recsens.study import Experiment
from recsens.study.designs import folds
from recsens.workflow.ask._results import OfResults
from recsens.workflow.ask._wildcards import Wildcards
from recsens.workflow.code_digests import classes_of
from recsens.workflow.plan import Ranking


class OfFigures(OfResults):
    """The figures of a study."""

    def figures(self, _: Wildcards) -> list[str]:
        """The names of the study's figures."""
        return list(self.plan.study.all_figures())

    def drawing(self, wildcards: Wildcards) -> str:
        """The plug-in of the figure, with its parameters; empty for a usual figure.

        Raises SpecError if the study has no such figure.
        """
        if wildcards.figure not in self.plan.study.all_figures():
            raise SpecError(f"the study has no figure '{wildcards.figure}'", allowed=", ".join(self.plan.study.all_figures()))
        entry = self.plan.study.drawn.get(wildcards.figure)
        return "" if entry is None else str(entry.draw)

    def drawn_experiment(self, wildcards: Wildcards) -> str:
        """Label of the further experiment that the figure shows."""
        entry = self.plan.study.drawn.get(wildcards.figure)
        return "" if entry is None else entry.experiment

    def drawn_data(self, wildcards: Wildcards) -> list[str]:
        """The files of every data set that the figure shows, after the base design's filter."""
        return flat(self.plan.filtered[label].data for label in self.drawn_datasets(wildcards))

    def drawn_datasets(self, wildcards: Wildcards) -> list[str]:
        """Label of each data set in `drawn_data`."""
        return list(self._drawn(wildcards).datasets) if self._needs(wildcards, "interactions") else []

    def drawn_positions(self, wildcards: Wildcards) -> list[str]:
        """The positions in every ranking under the base design that the figure shows."""
        return [ranked.address.ranking.positions for *_, ranked in self._drawn_bases(wildcards)]

    def drawn_rankings(self, wildcards: Wildcards) -> list[tuple[str, str]]:
        """Labels of the data set and the system for each ranking in `drawn_positions`."""
        return [(label, system) for label, system, _ in self._drawn_bases(wildcards)]

    def drawn_roles(self, wildcards: Wildcards) -> list[str]:
        """The roles in the first fold of every split that the figure shows."""
        return [roles for *_, roles in self._drawn_splits(wildcards)]

    def drawn_splits(self, wildcards: Wildcards) -> list[tuple[str, str]]:
        """Label of the data set, and the split as written, for each file in `drawn_roles`."""
        return [(label, split) for label, split, _ in self._drawn_splits(wildcards)]

    def draws_multiverse(self, wildcards: Wildcards) -> bool:
        """Whether the figure shows the joint results of all analyses."""
        return self._needs(wildcards, "multiverse")

    def figure_classes(self, wildcards: Wildcards) -> frozenset[type[Plugin]]:
        """The classes of the figure, the metrics and the systems."""
        drawing = self.drawing(wildcards)
        drawn = [("figure", parse(drawing))] if drawing else []
        return classes_of([*drawn, *self._metrics(), *self._systems()])

    def _drawn_bases(self, wildcards: Wildcards) -> Iterator[tuple[str, str, Ranking]]:
        return self._base_rankings(self._drawn(wildcards)) if self._needs(wildcards, "positions") else iter(())

    def _drawn_splits(self, wildcards: Wildcards) -> list[tuple[str, str, str]]:
        if not self._needs(wildcards, "roles"):
            return []
        found: dict[tuple[str, str], str] = {}
        for label in self._drawn(wildcards).datasets:
            designs = self.plan.designs[label]
            # Roles belong to the ratings after one filter; figures receive the roles after the base design's filter.
            for design in (each for each in designs if each.filter_address == designs[0].filter_address):
                found.setdefault((label, design.split.written), design.fold_address(next(iter(folds(design)))).roles)
        return [(label, split, roles) for (label, split), roles in found.items()]

    def _drawn(self, wildcards: Wildcards) -> Experiment:
        return self.plan.study.all_figures()[wildcards.figure][0]

    def _needs(self, wildcards: Wildcards, need: str) -> bool:
        drawing = self.drawing(wildcards)
        if not drawing:
            return False
        from recsens.report.figures import Drawing  # noqa: PLC0415 - a plan without such figures need not wait for matplotlib

        return need in Drawing.build(drawing).needs
