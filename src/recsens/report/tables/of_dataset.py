"""The tables about one data set; each is made once, and the page and papers share it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

from recsens.conclusions.verdicts.study_tables import Results
from recsens.report.tables.comparisons import comparison_table
from recsens.report.tables.coverage import counted_table, coverage_table
from recsens.report.tables.design_sets import DesignSet, design_sets
from recsens.report.tables.scores import result_table, sweep_table
from recsens.study import Experiment, Study
from recsens.tables.table import Table

MAX_ROWS = 400
"""Largest number of rows of a table on the page; the CSV files are complete."""


def shorten_tables(tables: Iterable[Table]) -> list[Table]:
    """Leave out empty tables, and shorten the others to the rows that the page shows."""
    note = f"Only the first {MAX_ROWS} rows are shown; the CSV file is complete."
    return [table.first(MAX_ROWS, note) for table in tables if not table.is_empty]


class TablesOfDataset:
    """The tables about one data set.

    Parameters
    ----------
    part
        The experiment that the data set belongs to.
    label
        The data set's label.
    results
        The outcomes on this data set only.
    sets
        The designs shown together in the experiment.
    """

    def __init__(self, part: Experiment, label: str, results: Results, sets: list[DesignSet]) -> None:
        self.part = part
        self.label = label
        self.results = results
        self._sets = {each.key: each for each in sets}
        self._made: dict[tuple[str, str], Table] = {}

    @property
    def keys(self) -> list[str]:
        """The keys of the sets of designs."""
        return list(self._sets)

    def designs(self, key: str) -> DesignSet | None:
        """Return a set of designs by its key; None if the results have only one design of the set."""
        return self._sets.get(key)

    def scores(self, key: str = "", *, ranking: bool = True) -> Table:
        """Show every system's scores under the base design, or under each design of a set."""
        return self._once("scores" if ranking else "descriptive", key, lambda: self._scores(self.designs(key), ranking=ranking))

    def counted(self, key: str = "") -> Table:
        """Show which users are averaged under the base design, or under each design of a set."""
        return self._once("counted", key, lambda: counted_table(self.results.counted, self.label, self.designs(key)))

    def coverage(self, key: str = "") -> Table:
        """Show coverage under the base design, or under each design of a set."""
        return self._once("coverage", key, lambda: coverage_table(self.part, self.results.summary, self.label, self.designs(key)))

    @cached_property
    def comparisons(self) -> Table:
        """Show every pair of systems under the base design."""
        return comparison_table(self.part, self.results.comparisons, self.results.verdicts, self.label)

    def _once(self, kind: str, key: str, make: Callable[[], Table]) -> Table:
        if (kind, key) not in self._made:
            self._made[kind, key] = make()
        return self._made[kind, key]

    def _scores(self, designs: DesignSet | None, *, ranking: bool) -> Table:
        part, own, label = self.part, self.results, self.label
        if designs:
            return sweep_table(part, designs, own.summary, own.verdicts, label, ranking=ranking)
        return result_table(part, own.summary, own.verdicts, label, ranking=ranking, predictions=own.predictions)


def tables_by_dataset(study: Study, results: Results) -> dict[str, TablesOfDataset]:
    """Prepare the tables of every data set of a study, by the data set's label."""
    own = results.by_dataset([label for part in study.all_experiments() for label in part.datasets])
    return {
        label: TablesOfDataset(part, label, own[label], sets)
        for part in study.all_experiments()
        for sets in [design_sets(part, results.of(part).summary)]
        for label in part.datasets
    }
