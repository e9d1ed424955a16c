"""The order of systems by each metric and design, and whether the best system beats the second best."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from recsens.arrays import grouped
from recsens.conclusions.design_space import Change, DesignSpace
from recsens.conclusions.verdicts.components import direction, n_splits_of, ranks_systems
from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.conclusions.verdicts.study_tables import records
from recsens.outcomes.rounding import rounded
from recsens.study.taxonomy import FULL_COLUMNS


@dataclass(frozen=True, slots=True)
class Duel:
    """The comparison of two systems, from the point of view of the first system.

    Attributes
    ----------
    first, second
        Labels of the systems.
    difference, low, high
        How much better the first system is, with the ends of the confidence interval; if lower values are better, the signs are
        reversed.
    value_difference
        How much better the first system's value is; this differs from ``difference`` if the test does not compare values.
    p_value
        The two-sided p-value, with the design's correction; NaN if the pair was not compared.
    resampled_p, n_splits
        p-value of the test over splits, without a correction, and their number; p is NaN if there is no such test.
    correction
        The design's correction of p-values.
    n_users, n_effective
        Number of users over whom the pair was compared, and number of equally weighted users who would be as informative; 0 if the
        pair was not compared.
    winner
        Label of the system that wins; empty if neither wins.
    """

    first: str
    second: str
    difference: float
    low: float
    high: float
    value_difference: float
    p_value: float
    resampled_p: float
    n_splits: float
    correction: str
    n_users: int
    n_effective: float
    winner: str

    @property
    def is_won(self) -> bool:
        """Whether the first system wins."""
        return self.winner == self.first

    def reversed(self) -> Duel:
        """Return the same comparison from the other system's point of view."""
        return replace(self.mirrored(), first=self.second, second=self.first)

    def mirrored(self) -> Duel:
        """Reverse the signs, for a metric for which lower values are better."""
        return replace(self, difference=-self.difference, low=-self.high, high=-self.low, value_difference=-self.value_difference)


@dataclass(frozen=True)
class Standings:
    """The order of systems on one data set, by one metric under one design.

    Attributes
    ----------
    dataset, metric, written
        Label of the data set, the metric with every parameter, and the metric as the study writes it.
    change
        The decisions in which the design differs from the base design; empty for the base design.
    scores
        Each system's value.
    top
        The comparison of the best system with the second-best system; if several systems are second best, the comparison with the
        largest p-value.
    tied
        Systems that share the best value; empty if only one system has the best value.
    duels
        All comparisons by pair of labels; each pair occurs in both orders.
    """

    dataset: str
    metric: str
    written: str
    change: Change
    scores: Mapping[str, float]
    top: Duel
    tied: tuple[str, ...]
    duels: Mapping[tuple[str, str], Duel]

    @property
    def leader(self) -> str:
        """The system with the best value; if several share it, the first of them."""
        return self.top.first

    @property
    def is_decided(self) -> bool:
        """Whether the leader beats the second best system."""
        return self.top.is_won


def order_systems(values: Mapping[str, float], sign: int) -> list[list[str]]:
    """Order systems by value, best first. Values that differ only by rounding errors share a rank; systems with NaN are left out.

    ``sign`` is 1 if higher values are better, else -1.
    """
    alike = grouped((float(rounded(-sign * value)), system) for system, value in values.items() if not math.isnan(value))
    return [alike[value] for value in sorted(alike)]


def standings(summary: pd.DataFrame, verdicts: pd.DataFrame) -> list[Standings]:
    """Order the systems on every data set, by every metric, under every design.

    There are no standings for metrics that describe rankings without a better direction, nor for a single system.

    Parameters
    ----------
    summary
        Values of the systems.
    verdicts
        Rows of `recsens.conclusions.verdicts.pairs.PairVerdicts`.
    """
    space = DesignSpace(summary)
    keys = ["dataset", "metric_full", *FULL_COLUMNS]
    duels: dict[tuple[Any, ...], dict[tuple[str, str], Duel]] = {}
    for row in records(verdicts):
        duel = duel_of(row)
        both = {(duel.first, duel.second): duel, (duel.second, duel.first): duel.reversed()}
        duels.setdefault(tuple(row[key] for key in keys), {}).update(both)
    alike = grouped((tuple(row[key] for key in keys), row) for row in records(summary))
    listed = []
    for key, rows in alike.items():
        metric = str(key[1])
        values = {str(row["system"]): float(row["value"]) for row in rows}
        if ranks_systems(metric) and sum(not math.isnan(value) for value in values.values()) > 1:
            listed.append(_standings(rows[0], space.change(rows[0]), values, duels.get(key, {})))
    return listed


def base_standings(verdicts: PairVerdicts, summary: pd.DataFrame) -> list[Standings]:
    """List the standings under an experiment's base design, by data set and metric in the study's order."""
    listed = standings(summary[summary["is_base"]], verdicts.rows[verdicts.rows["is_base"]])
    by_metric = {(each.dataset, each.metric): each for each in listed}
    order = [(dataset, str(metric)) for dataset in verdicts.part.datasets for metric in verdicts.part.metrics]
    return [by_metric[key] for key in order if key in by_metric]


def _standings(
    row: Mapping[str, Any], change: Change, values: Mapping[str, float], duels: Mapping[tuple[str, str], Duel]
) -> Standings:
    dataset, metric = row["dataset"], row["metric_full"]
    sign = direction(metric)
    turned = {key: duel if sign > 0 else duel.mirrored() for key, duel in duels.items()}
    leaders, *others = order_systems(values, sign)
    best, rivals = leaders[0], leaders[1:] or others[0]
    difference = sign * (values[best] - values[rivals[0]])
    untested = Duel(best, rivals[0], difference, math.nan, math.nan, difference, math.nan, math.nan, 1, "none", 0, 0, "")
    met = [turned[best, rival] for rival in rivals if (best, rival) in turned]
    # The least certain comparison is that with the largest p-value.
    top = max([duel for duel in met if not math.isnan(duel.p_value)] or met, key=lambda duel: duel.p_value, default=untested)
    tied = tuple(leaders) if len(leaders) > 1 else ()
    return Standings(dataset, metric, row["metric"], change, values, top, tied, turned)


def duel_of(row: Mapping[str, Any]) -> Duel:
    """Return the comparison in a row of the verdicts, from the point of view of its first system."""
    n_users = 0 if math.isnan(row["users"]) else int(row["users"])
    same = ("difference", "low", "high", "value_difference", "resampled_p", "correction", "winner")
    fields = {name: row[name] for name in same} | {"first": row["system_a"], "second": row["system_b"]}
    n_splits = n_splits_of(row["split"], row["repeats"])
    return Duel(**fields, n_splits=n_splits, p_value=row["p_adjusted"], n_users=n_users, n_effective=row["effective_users"])
