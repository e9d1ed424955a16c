"""Verdicts over data sets: who wins on average over data sets like those of a study, and in which order systems are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from recsens.arrays import grouped
from recsens.comparison.mean_ranks import MeanRanks, mean_ranks
from recsens.comparison.random_effects import FEWEST_FAMILIES, RandomEffects
from recsens.comparison.significance import adjusted
from recsens.conclusions.verdicts.components import direction
from recsens.conclusions.verdicts.efforts import efforts_of
from recsens.conclusions.verdicts.study_tables import Results, records
from recsens.outcomes.winner import FIRST, SECOND, ahead, decide, significant
from recsens.study import Experiment
from recsens.study.metric_analyses import all_pairs
from recsens.tables.numbers import SPACE, count, estimate, fixed

Pair = tuple[str, str]

FEWEST_SYSTEMS = 3
"""With two systems, tests of mean ranks are a sign test."""


@dataclass(frozen=True)
class OverDatasets:
    """The combined comparisons of an experiment; there are none if it does not combine data sets, or if no effect exists.

    Attributes
    ----------
    part
        The experiment.
    results
        The tables of its study.
    """

    part: Experiment
    results: Results

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of ``over_datasets.csv``."""
        return records(self.results.over_datasets) if self.part.families else []

    @property
    def metric(self) -> str:
        """The metric of the base verdicts: the first of the study that ranks systems and is combined."""
        return str(self.rows[0]["metric_full"]) if self.rows else ""

    @cached_property
    def base(self) -> dict[Pair, Mapping[str, Any]]:
        """The row of each pair by `metric` under the base design."""
        return {
            (row["system_a"], row["system_b"]): row
            for row in self.rows
            if row["is_base"] and row["metric_full"] == self.metric and not math.isnan(row["these"])
        }

    @property
    def base_metric(self) -> str:
        """`metric` as the study writes it."""
        return str(self.rows[0]["metric"]) if self.rows else ""

    @property
    def is_inferred(self) -> bool:
        """Whether there are enough families to say something about other data sets."""
        return any(not math.isnan(row["alike"]) for row in self.base.values())

    @cached_property
    def effects(self) -> dict[Pair, list[dict[str, Any]]]:
        """The effects of each pair on each data set by `metric`."""
        effects = self.results.effects
        rows = records(effects[effects["metric_full"] == self.metric])
        return grouped(((row["system_a"], row["system_b"]), row) for row in rows)

    @cached_property
    def won(self) -> dict[Pair, tuple[int, int]]:
        """How many families each system of a pair wins by `metric` under the base design."""
        verdicts = self.results.verdicts
        base = records(verdicts[verdicts["is_base"] & (verdicts["metric_full"] == self.metric)])
        by_pair = grouped(((row["system_a"], row["system_b"]), (row["dataset"], row["winner"])) for row in base)
        return {pair: self._families_won(pair, dict(winners)) for pair, winners in by_pair.items()}

    @cached_property
    def won_after(self) -> dict[Pair, dict[int, tuple[int, int]]]:
        """How many families each system of a pair wins after so many trials for each; empty if the effort does not vary."""
        found = efforts_of(self.part, self.results.effort).items()
        of_pairs = grouped(((a, b), (label, of_pair)) for (label, a, b), of_pair in found)
        return {
            pair: {
                effort: self._families_won(pair, {label: each.at(effort)["winner"] for label, each in on_datasets})
                for effort in sorted(self.part.effort)
            }
            for pair, on_datasets in of_pairs.items()
        }

    def _families_won(self, pair: Pair, winners: Mapping[str, str]) -> tuple[int, int]:
        """Count the families on some of whose data sets a system wins, and the other system on none."""
        of_families = [{winners.get(label, "") for label in labels} for labels in self.part.families.values()]
        a, b = pair
        return sum(a in own and b not in own for own in of_families), sum(b in own and a not in own for own in of_families)

    def from_better(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a row seen from the system that is better over these data sets: its effects have the opposite sign if need be."""
        if row["these"] * direction(row["metric_full"]) >= 0:
            return row
        swapped = {**row, "system_a": row["system_b"], "system_b": row["system_a"]}
        for name in ("these", "alike", "new", "weighted"):
            if f"{name}_low" in row:
                swapped |= {f"{name}_low": -row[f"{name}_high"], f"{name}_high": -row[f"{name}_low"]}
        return {**swapped, **{name: -row[name] for name in ("these", "alike", "weighted") if name in row}}

    def changed(self) -> list[Mapping[str, Any]]:
        """List the rows by other metrics or under other designs whose winner over data sets is not that of the base."""
        others = (row for row in self.rows if not (row["is_base"] and row["metric_full"] == self.metric))
        return [
            row
            for row in others
            if (pair := (row["system_a"], row["system_b"])) in self.base
            and row["winner"] != self.base[pair]["winner"]
            and not math.isnan(row["alike"])
        ]

    @cached_property
    def ranks(self) -> dict[str, tuple[float, int, int]]:
        """The mean effect of each system against all others, and the interval of its rank, the best system first.

        A system's rank is at least 1 plus the number of systems that beat it over data sets like these, and at most the number of
        systems minus those that it beats, with p corrected by Holm for all pairs (Mohamad, Goeman & van Zwet 2022); so all
        intervals hold together. Empty unless all pairs were compared.
        """
        systems = list(self.part.systems)
        if not self.base or len(self.base) < len(all_pairs(systems)):
            return {}
        p_values = adjusted(np.array([row["p_value"] for row in self.base.values()]), "holm")
        sign, n = direction(self.metric), len(systems)
        effect, first, last = dict.fromkeys(systems, 0.0), dict.fromkeys(systems, 1), dict.fromkeys(systems, n)
        for ((a, b), row), p in zip(self.base.items(), p_values, strict=True):
            effect[a] += row["these"] / (n - 1)
            effect[b] -= row["these"] / (n - 1)
            if significant(p, self.part.alpha):
                better, worse = (a, b) if sign * row["alike"] > 0 else (b, a)
                last[better] -= 1
                first[worse] += 1
        return {each: (effect[each], first[each], last[each]) for each in sorted(systems, key=lambda each: -sign * effect[each])}

    @cached_property
    def mean_ranks(self) -> MeanRanks | None:
        """Tests of the mean ranks of the systems in the order of `ranks`; None unless the study asks, and has enough families.

        On a family, systems are ranked by their mean effect against all others.
        """
        order = list(self.ranks)
        if not self.part.friedman or not self.is_inferred or len(order) < FEWEST_SYSTEMS:
            return None
        families, place = list(self.part.families.values()), {system: number for number, system in enumerate(order)}
        values = np.zeros((len(families), len(order)))
        for pair in self.base:
            effects = {row["dataset"]: row["effect"] for row in self.effects.get(pair, [])}
            for number, labels in enumerate(families):
                effect = direction(self.metric) * np.mean([effects.get(label, math.nan) for label in labels])
                values[number, place[pair[0]]] += effect
                values[number, place[pair[1]]] -= effect
        known = values[~np.isnan(values).any(axis=1)]
        return mean_ranks(known, self.part.alpha) if len(known) >= FEWEST_FAMILIES else None

    def weighted(self) -> list[Mapping[str, Any]]:
        """Return the rows of `base` with the mean by Paule and Mandel's τ² and its interval by Hartung and Knapp, if asked for."""
        if not self.part.friedman or not self.is_inferred:
            return list(self.base.values())
        over = self._combine_without()
        found = over.weighted(over.tau**2)
        names = dict(zip(("weighted", "weighted_low", "weighted_high"), (found.value, found.low, found.high), strict=True))
        return [{**row, **{name: each[nth] for name, each in names.items()}} for nth, row in enumerate(self.base.values())]

    def without(self, dataset: str) -> list[Mapping[str, Any]]:
        """Return the rows of `base` whose better system or verdict is another without a data set, with what they are then."""
        if not self.base:
            return []
        over, sign = self._combine_without(dataset), direction(self.metric)
        favoured, margin = ahead(over.alike.value, sign), self.part.margin.of_effects(higher_is_better=sign > 0)
        p_values, ends = adjusted(over.alike.p_value, self.part.design.correction), {"low": over.alike.low, "high": over.alike.high}
        decided = decide(favoured, favoured, p_values, self.part.alpha, **ends, margins=margin)
        rows: list[Mapping[str, Any]] = []
        for nth, ((a, b), row) in enumerate(self.base.items()):
            winner = {FIRST: a, SECOND: b}.get(int(decided.winner[nth]), "")
            verdict = {"winner": winner, "is_equivalent": bool(decided.is_equivalent[nth] and margin)}
            these, low, high = (float(each[nth]) for each in (over.these.value, over.these.low, over.these.high))
            if row["these"] * these < 0 or any(row[name] != verdict[name] for name in verdict):
                found = {"these": these, "these_low": low, "these_high": high, "alike": float(over.alike.value[nth])}
                rows.append({**row, **verdict, **found})
        return rows

    def _combine_without(self, left_out: str = "") -> RandomEffects:
        """Combine the pairs of `base` once more, without one data set; a family's effect is the mean over its data sets."""
        shape = len(self.base), len(self.part.families)
        values, errors = np.full(shape, np.nan), np.full(shape, np.nan)
        for row, pair in enumerate(self.base):
            rows = {each["dataset"]: (each["effect"], each["error"]) for each in self.effects.get(pair, [])}
            for place, labels in enumerate(self.part.families.values()):
                own = [rows[label] for label in labels if label in rows and label != left_out and not math.isnan(rows[label][0])]
                if own:
                    values[row, place] = np.mean([effect for effect, _ in own])
                    errors[row, place] = math.hypot(*(error for _, error in own)) / len(own)
        return RandomEffects(values, errors, 1 - self.part.alpha)


def interval_in_words(value: float, low: float, high: float, scale: str) -> tuple[str, str]:
    r"""Print an effect and its interval: relative ones as the percentage by which the first system's value is larger.

    Examples
    --------
    >>> interval_in_words(0.0305, 0.02, 0.04, "relative")
    ('3.1\xa0%', '2.0 to 4.1\xa0%')
    >>> interval_in_words(0.0123, 0.0101, 0.0145, "difference")
    ('.0123', '.0101 to .0145')
    """
    if scale != "relative":
        value_text, *ends = estimate(value, low, high)
        return value_text, " to ".join(ends)
    value, low, high = (100 * math.expm1(each) for each in (value, low, high))
    decimals = sum(high - low < wide for wide in (10, 1))
    value_text, *ends = (_percentage(each, decimals) for each in (value, low, high))
    return f"{value_text}{SPACE}%", f"{' to '.join(ends)}{SPACE}%"


def _percentage(value: float, decimals: int) -> str:
    return count(round(value)) if value >= 1000 else fixed(round(value, decimals), decimals)
