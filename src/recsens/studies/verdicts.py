"""The best system by each metric under each design, against the second best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from recsens.config import Study
from recsens.studies.naming import (
    Change,
    base_options,
    change_of,
    confidence_of,
    improvement,
    ranks_systems,
    scale_of,
    short,
)
from recsens.studies.printed import SPACE, estimate, p_claim, score, users
from recsens.studies.taxonomy import COLUMNS

_NAN = float("nan")

_DECIMALS = 12
"""Values that differ further right differ by rounding alone."""


@dataclass(frozen=True, slots=True)
class Duel:
    """Two systems compared, seen from the first.

    Attributes
    ----------
    ahead, behind
        Labels of the systems.
    margin, low, high
        By how much the first is better, and its confidence interval; signs are turned where lower values are better.
    p_value
        Two-sided, adjusted as the design says; NaN where the pair was not compared.
    n_users, n_effective
        Users compared, and how many of equal weight would say as much; 0 where the pair was not compared.
    """

    ahead: str
    behind: str
    margin: float
    low: float
    high: float
    p_value: float
    n_users: int
    n_effective: float

    def is_won(self, alpha: float) -> bool:
        """Whether the first system is better with p < α."""
        return self.margin > 0 and self.p_value < alpha

    def reversed(self) -> Duel:
        """Return the same comparison, seen from the other system."""
        return replace(self, ahead=self.behind, behind=self.ahead, margin=-self.margin, low=-self.high, high=-self.low)


@dataclass(frozen=True)
class Verdict:
    """What one design says on one data set by one metric.

    Attributes
    ----------
    dataset, metric
        Label and printed name.
    change
        How the design differs from the base; empty for the base.
    scores
        Each system's value.
    first
        The best system against the second best; of several second best ones, that with the largest p-value.
    tied
        Systems that share the best value; empty where one has it alone.
    duels
        Every comparison made, by the pair of labels, in both directions.
    """

    dataset: str
    metric: str
    change: Change
    scores: Mapping[str, float]
    first: Duel
    tied: tuple[str, ...]
    duels: Mapping[tuple[str, str], Duel]

    @property
    def winner(self) -> str:
        """The system with the best value, the first of those that share it."""
        return self.first.ahead

    def is_won(self, alpha: float) -> bool:
        """Whether one system has the best value, and is better than the second best with p < α."""
        return not self.tied and self.first.is_won(alpha)


def ranked(values: Mapping[str, float], sign: int) -> list[list[str]]:
    """Order systems by value, the best first; those whose values differ by rounding alone share a place, NaN has none.

    ``sign`` is 1 where more is better, else -1.
    """
    places: dict[float, list[str]] = {}
    for system, value in values.items():
        if not math.isnan(value):
            places.setdefault(round(-sign * value, _DECIMALS), []).append(system)
    return [places[place] for place in sorted(places)]


def verdicts(summary: pd.DataFrame, comparisons: pd.DataFrame) -> list[Verdict]:
    """Judge every data set, metric and design; metrics that only describe, and single systems, have no verdict."""
    base = base_options(summary)
    keys = ["dataset", "metric", *COLUMNS]
    pooled = comparisons[comparisons["fold"] == "all"]
    duels = {key: _duels(rows) for key, rows in pooled.groupby(keys, sort=False)}
    found = []
    for key, rows in summary.groupby(keys, sort=False):
        dataset, metric, *options = map(str, key)
        values = {str(system): float(value) for system, value in zip(rows["system"], rows["value"], strict=True)}
        if ranks_systems(metric) and sum(not math.isnan(value) for value in values.values()) > 1:
            change = change_of(dict(zip(COLUMNS, options, strict=True)), base)
            found.append(_verdict(dataset, metric, change, values, duels.get(key, {})))
    return found


def base_sentence(study: Study, verdict: Verdict) -> str:
    """Say which system is the best under the base design, by how much, with what p."""
    duel, metric = verdict.first, short(verdict.metric)
    place = f"On {verdict.dataset}, "
    if verdict.tied:
        names = f"{', '.join(verdict.tied[:-1])} and {verdict.tied[-1]}"
        shared = f"{'both' if len(verdict.tied) == 2 else 'all'} have {score(verdict.scores[duel.ahead])}"
        return f"{place}{metric} does not decide between {names} under the base design: {shared}."
    if verdict.is_won(study.alpha):
        return f"{place}{duel.ahead} beats {duel.behind} on {metric} by {_evidence(study, duel)} under the base design."
    pair = f"{duel.ahead} and {duel.behind}"
    if math.isnan(duel.p_value):
        return f"{place}{metric} of {pair} differs by {score(duel.margin)} under the base design; the two were not tested."
    cancelled = f"the users' differences cancel out ({p_claim(duel.p_value)})"
    lead = f"{duel.ahead} is ahead by {_evidence(study, duel)}" if duel.margin else cancelled
    if duel.margin < 0:
        numbers = _evidence(study, duel.reversed())
        lead = f"{duel.ahead} has the better average, {duel.behind} is ahead among the users compared by {numbers}"
    return f"{place}{metric} does not decide between {pair} under the base design: {lead}."


def base_verdicts(study: Study, summary: pd.DataFrame, comparisons: pd.DataFrame) -> list[Verdict]:
    """List the base design's verdicts, by data set and metric in the order of the study."""
    found = verdicts(summary[summary["is_base"]], comparisons[comparisons["is_base"]])
    known = {(verdict.dataset, verdict.metric): verdict for verdict in found}
    order = [(dataset, str(metric)) for dataset in study.datasets for metric in study.metrics]
    return [known[key] for key in order if key in known]


def interval_name(study: Study) -> str:
    """Return what the intervals of the base design's test are: ``95 % CI``."""
    return f"{100 * confidence_of(str(study.design.test)):g}{SPACE}%{SPACE}CI"


def _verdict(
    dataset: str, metric: str, change: Change, values: Mapping[str, float], duels: Mapping[tuple[str, str], Duel]
) -> Verdict:
    sign = improvement(metric)
    turned = {key: duel if sign > 0 else _mirrored(duel) for key, duel in duels.items()}
    first, *others = ranked(values, sign)
    best, rivals = first[0], first[1:] or others[0]
    untested = Duel(best, rivals[0], sign * (values[best] - values[rivals[0]]), _NAN, _NAN, _NAN, 0, 0)
    met = [turned[best, rival] for rival in rivals if (best, rival) in turned]
    tied = tuple(first) if len(first) > 1 else ()
    return Verdict(dataset, metric, change, values, least_certain(met) or untested, tied, turned)


def least_certain(duels: Sequence[Duel]) -> Duel | None:
    """Return the comparison with the largest p-value; one without any where none has one, None of none."""
    tested = [duel for duel in duels if not math.isnan(duel.p_value)] or list(duels)
    return max(tested, key=lambda duel: duel.p_value) if tested else None


def _duels(rows: pd.DataFrame) -> dict[tuple[str, str], Duel]:
    found: dict[tuple[str, str], Duel] = {}
    columns = ["system_a", "system_b", "difference", "low", "high", "p_adjusted", "users", "effective_users"]
    for a, b, difference, low, high, p, n, effective in rows[columns].itertuples(index=False, name=None):
        duel = Duel(a, b, difference, low, high, p, 0 if math.isnan(n) else int(n), effective)
        found[a, b], found[b, a] = duel, duel.reversed()
    return found


def _mirrored(duel: Duel) -> Duel:
    """Turn the signs of a comparison by a metric of which less is better."""
    return replace(duel, margin=-duel.margin, low=-duel.high, high=-duel.low)


def _evidence(study: Study, duel: Duel) -> str:
    margin, low, high = estimate(duel.margin, duel.low, duel.high)
    interval = f"{interval_name(study)} {low}{SPACE}to{SPACE}{high}, " if not math.isnan(duel.low) else ""
    size = f"{margin}{scale_of(str(study.design.aggregate))}"
    return f"{size} ({interval}{p_claim(duel.p_value)}, {users(duel.n_users, duel.n_effective)})"
