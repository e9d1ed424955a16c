"""Outcomes: from users' measures to the value of each system under each design, and to the comparison of each pair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens import plugins, tables
from recsens.aggregation import Aggregate
from recsens.aggregation._coverage import counted, coverage_at
from recsens.config import Study
from recsens.design import Design, Fold
from recsens.measures import CELL, POPULATION, Cell
from recsens.metrics import MeasuredAt, parse_measured_at
from recsens.plan import expand, folds
from recsens.significance import Comparison, SignificanceTest
from recsens.specs import Spec
from recsens.users import Population, Users

Array = NDArray[np.float64]


class Measured:
    """The measures of a study, cell by cell.

    Parameters
    ----------
    measures
        File of each metric, by the slug of the metric.
    population
        File of the users' counts.
    """

    def __init__(self, measures: Mapping[str, str], population: str) -> None:
        self._paths = dict(measures)
        self._tables: dict[str, dict[Cell, dict[str, NDArray[Any]]]] = {}
        self._population = _by_cell(population, POPULATION)

    def values(self, cell: Cell, measured: MeasuredAt) -> Array:
        """Return a metric's value of every user, shape (n_users,)."""
        slug = measured.metric.spec.slug
        if slug not in self._tables:
            self._tables[slug] = _by_cell(self._paths[slug], CELL)
        return self._tables[slug][cell][f"@{measured.cutoff}"]

    def population(self, cell: Cell) -> Population:
        """Return the counts of every user."""
        found = self._population[cell]
        return Population(**{name: found[name].astype(np.int64) for name in ("train", "test", "relevant", "listed")})


@dataclass(frozen=True)
class Outcome:
    """One system under one design, measured by one metric, fold by fold.

    Attributes
    ----------
    values
        Each user's value, shape (n_folds, n_users).
    counts
        Whether the user enters the fold's average, shape (n_folds, n_users).
    user_coverage, coverage_at_cutoff
        Share of the admitted users with a ranking, and of the places of their lists that are filled; means over folds.
    aggregate
        C3.
    """

    values: Array
    counts: NDArray[np.bool_]
    user_coverage: float
    coverage_at_cutoff: float
    aggregate: Aggregate

    @property
    def n_users(self) -> int:
        """Users that enter the average of at least one fold."""
        return int(self.counts.any(axis=0).sum())

    @cached_property
    def value(self) -> float:
        """Aggregate over users of each user's mean over the folds that count the user."""
        return self.aggregate.combine(user_means(self.values, self.counts))

    @cached_property
    def spread(self) -> float:
        """Sample standard deviation over folds of the folds' aggregates; NaN for one fold."""
        found = [self.aggregate.combine(values[counts]) for values, counts in zip(self.values, self.counts, strict=True)]
        return float(np.std(found, ddof=1)) if len(found) > 1 else float("nan")


def user_means(values: Array, counts: NDArray[np.bool_]) -> Array:
    """Average each user over the folds that count the user, and leave out who counts in none; both shapes (n_folds, n_users)."""
    times = counts.sum(axis=0)
    sums = np.where(counts, values, 0.0).sum(axis=0)
    return np.asarray(sums[times > 0] / times[times > 0])


def compare(a: Outcome, b: Outcome, test: SignificanceTest) -> tuple[Comparison, list[Comparison]]:
    """Compare two systems over the users that count for both: averaged over folds, and fold by fold."""
    both = a.counts & b.counts
    main = test.compare(user_means(a.values, both), user_means(b.values, both))
    parts = [test.compare(a.values[f][both[f]], b.values[f][both[f]]) for f in range(len(both))]
    return main, parts


COMPARISON_COLUMNS = (
    *("dataset", "system_a", "system_b", "metric", "fold", "difference", "low", "high", "p_value", "users"),
    *("median_p", "published", "source", "deviation"),
)
"""Columns of a comparison before those of its design."""


class Outcomes:
    """All outcomes of a study.

    Parameters
    ----------
    study
        The study.
    addresses
        Spec in the address of each data set, by label.
    measured
        Its measures.
    """

    def __init__(self, study: Study, addresses: Mapping[str, Spec], measured: Measured) -> None:
        self.study = study
        self.designs = expand(study, addresses)
        self._measured = measured

    def settings(self) -> Iterator[tuple[str, Design, bool]]:
        """Visit every data set and design; the third is whether it is the base design."""
        for label, designs in self.designs.items():
            for place, design in enumerate(designs):
                yield label, design, place == 0

    def outcome(self, design: Design, system: Spec, measured: MeasuredAt) -> Outcome:
        """Return one system's outcome under a design."""
        users: Users = plugins.build("users", design.users)
        cells = [self._cell(design, fold, system) for fold in folds(design)]
        populations = [self._measured.population(cell) for cell in cells]
        admitted = [users.admit(population) for population in populations]
        pairs = list(zip(admitted, populations, strict=True))
        return Outcome(
            values=np.stack([self._measured.values(cell, measured) for cell in cells]),
            counts=np.stack([counted(mask, population.listed, design.coverage) for mask, population in pairs]),
            user_coverage=_mean([coverage_at(population.listed[mask], 1) for mask, population in pairs]),
            coverage_at_cutoff=_mean([coverage_at(population.listed[mask], measured.cutoff) for mask, population in pairs]),
            aggregate=plugins.build("aggregate", design.aggregate),
        )

    @staticmethod
    def _cell(design: Design, fold: Fold, system: Spec) -> Cell:
        return Cell(str(design.ranking_folder(fold, system)), design.view, design.relevance)

    def summary(self) -> list[dict[str, Any]]:
        """List the value of every system: one row a data set, design, metric and system."""
        printed = {(p.dataset, p.system, _canonical(p.metric)): p for p in self.study.published}
        rows = []
        for label, design, is_base in self.settings():
            for measured in self.study.metrics:
                for name, system in self.study.systems.items():
                    found = self.outcome(design, system, measured)
                    publication = printed.get((label, name, str(measured))) if is_base else None
                    rows.append(
                        {
                            "dataset": label,
                            "system": name,
                            "metric": str(measured),
                            "value": found.value,
                            "spread": found.spread,
                            "published": publication.value if publication else None,
                            "deviation": found.value - publication.value if publication else None,
                            "source": publication.source if publication else None,
                            "spec": str(system),
                            **design.columns(),
                            "n_users": found.n_users,
                            "user_coverage": found.user_coverage,
                            "coverage_at_cutoff": found.coverage_at_cutoff,
                            "is_base": is_base,
                        }
                    )
        return rows

    def comparisons(self) -> list[dict[str, Any]]:
        """List every comparison: one row a data set, design, metric and pair over all folds, and one a fold."""
        rows = []
        for label, design, is_base in self.settings():
            test: SignificanceTest = plugins.build("test", design.test)
            names = [fold.name for fold in folds(design)]
            for measured in self.study.metrics:
                outcomes = {name: self.outcome(design, system, measured) for name, system in self.study.systems.items()}
                for a, b in self.study.pairs():
                    main, parts = compare(outcomes[a], outcomes[b], test)
                    row = {"dataset": label, "system_a": a, "system_b": b, "metric": str(measured)}
                    extra = self._printed(label, a, b, measured, is_base=is_base)
                    median = float(np.median([part.p_value for part in parts]))
                    deviation = median - extra["published"] if extra["published"] is not None else None
                    rest = {**design.columns(), "is_base": is_base}
                    rows.append(
                        {**row, "fold": "all", **_columns(main), "median_p": median, **extra, "deviation": deviation, **rest}
                    )
                    rows += [{**row, "fold": fold, **_columns(part), **rest} for fold, part in zip(names, parts, strict=True)]
        return rows

    def comparison_header(self) -> list[str]:
        """List the columns of a comparison: all that a study of one system has."""
        _, design, _ = next(self.settings())
        return [*COMPARISON_COLUMNS, *design.columns(), "is_base"]

    def _printed(self, dataset: str, a: str, b: str, measured: MeasuredAt, *, is_base: bool) -> dict[str, Any]:
        for entry in self.study.published_comparisons if is_base else ():
            same = {entry.system_a, entry.system_b} == {a, b} and entry.dataset == dataset
            if same and _canonical(entry.metric) == str(measured):
                return {"published": entry.p_value, "source": entry.source}
        return {"published": None, "source": None}


def _columns(comparison: Comparison) -> dict[str, Any]:
    return {
        "difference": comparison.difference,
        "low": comparison.low,
        "high": comparison.high,
        "p_value": comparison.p_value,
        "users": comparison.n_users,
    }


def _canonical(metric: str) -> str:
    return str(parse_measured_at(metric)[0])


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


def _by_cell(path: str, schema: Any) -> dict[Cell, dict[str, NDArray[Any]]]:
    """Cut a file of measures into its cells; a cell's rows stand together, by user."""
    table = tables.read_table(path, schema)
    columns = {name: table.column(name).to_numpy() for name in table.column_names if name not in CELL.names}
    starts = np.flatnonzero(table.column("user").to_numpy() == 0)
    heads = table.select(["ranking", "view", "relevance"]).take(starts).to_pylist()
    bounds = [*starts[1:], len(table)]
    return {
        Cell(**head): {name: values[start:end] for name, values in columns.items()}
        for head, start, end in zip(heads, starts, bounds, strict=True)
    }
