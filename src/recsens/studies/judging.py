"""Judging: who wins each comparison under each design, and which single change of a decision turns that over.

An *analysis* is a design with a metric that ranks systems. The base verdict on a pair of systems is that of the base design with
the first such metric of the study; every other analysis stands beside it. Analyses with the same numbers are evidence once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from recsens.config import Study
from recsens.studies.copies import originals
from recsens.studies.naming import (
    base_options,
    change_in_words,
    change_of,
    confidence_of,
    improvement,
    measured,
    option_in_full,
    ranks_systems,
    short,
)
from recsens.studies.results import records, rows_of
from recsens.studies.taxonomy import COLUMNS, decision

PAIR = ("dataset", "system_a", "system_b")

UNDECIDED = "undecided"

BESIDE = ("agrees", "contradicts", "undecides", "decides")
"""What an analysis says beside the base verdict: the same; the opposite winner; no winner any more; a winner for the first time."""

TURNS = BESIDE[1:]
"""The ways in which a verdict turns, the gravest first."""

VERDICT_COLUMNS = (
    *(*PAIR, "metric", "difference", "low", "high", "effect", "effect_low", "effect_high", "p_value", "p_adjusted", "users"),
    *("verdict", "beside_base", "same_as", "hypothesis"),
)
"""Columns of a verdict before those of its design; ``same_as`` names the analysis whose numbers these are, if not its own."""

FLIP_COLUMNS = (
    *(*PAIR, "metric", "code", "decision", "from", "to", "base_verdict", "verdict", "kind"),
    *("base_difference", "difference", "base_effect", "effect", "base_p", "p", "also"),
)
"""Columns of a turned verdict; ``metric`` is that of the base verdict, ``also`` names other changes with the same numbers."""


@dataclass(frozen=True)
class Judgement:
    """Every verdict of one experiment.

    Attributes
    ----------
    part
        The experiment.
    rows
        One row a pair, metric and design, in the order of the comparisons: what they say, the verdict, what it is beside the base
        verdict; ``better`` is 1 where the first system's value is the better one, ``n_changed`` counts the decisions in which the
        design leaves the base, ``is_base_metric`` marks the study's first metric that ranks; ``original`` is the place of the
        analysis with the same numbers that stands for all of them, its own where it is the one.
    """

    part: Study
    rows: pd.DataFrame

    @cached_property
    def base(self) -> dict[tuple[str, str, str], dict[str, Any]]:
        """The row of each pair's base verdict, by data set and systems."""
        chosen = self.rows[self.rows["is_base"] & self.rows["is_base_metric"]]
        return {pair_of(row): row for row in records(chosen)}

    @cached_property
    def others(self) -> pd.DataFrame:
        """Every distinct analysis but the base: one of all that have the same numbers, and none that has the base's."""
        is_base = self.rows["is_base"] & self.rows["is_base_metric"]
        return self.rows[~is_base & (self.rows["original"] == self.rows.index)]

    @cached_property
    def copies(self) -> pd.DataFrame:
        """Analyses whose numbers are another's."""
        return self.rows[self.rows["original"] != self.rows.index]

    @cached_property
    def options(self) -> dict[str, str]:
        """The base design's option of every decision, by column."""
        return base_options(self.rows)

    def flips(self) -> list[dict[str, Any]]:
        """List the verdicts that a single change of one decision turns, contradictions first; the same numbers once."""
        single = self.others[_n_changes(self.others) == 1]
        turned = single[single["beside_base"].isin(TURNS)]
        found = [self._flip(int(str(place)), row) for place, row in zip(turned.index, records(turned), strict=True)]
        order = {pair: place for place, pair in enumerate(self.base)}
        return sorted(found, key=lambda flip: (TURNS.index(flip["kind"]), order[pair_of(flip)]))

    def robustness(self) -> list[dict[str, Any]]:
        """Count for each pair all other analyses, the distinct ones, and what these say beside the base verdict."""
        counts = self.others.groupby([*PAIR, "beside_base"], sort=False).size().to_dict()
        copied = self.n_copies
        found = []
        for pair, base in self.base.items():
            numbers = {kind: int(counts.get((*pair, kind), 0)) for kind in BESIDE}
            distinct = sum(numbers.values())
            head = {**dict(zip(PAIR, pair, strict=True)), "base_verdict": base["verdict"]}
            found.append({**head, "analyses": distinct + copied.get(pair, 0), "distinct": distinct, **numbers})
        return found

    @cached_property
    def n_copies(self) -> dict[tuple[str, str, str], int]:
        """Number of each pair's analyses whose numbers are another's."""
        pairs = self.copies[list(PAIR)].itertuples(index=False, name=None)
        return dict(Counter((str(dataset), str(a), str(b)) for dataset, a, b in pairs))

    def copied(self) -> list[dict[str, Any]]:
        """List the copies of each data set: the analysis, the one whose numbers it has, and for how many pairs of systems."""
        sources = self.rows.loc[self.copies["original"]]
        counts = Counter(zip(self.copies["dataset"], self.names(self.copies), self.names(sources), strict=True))
        return [{"dataset": place, "analysis": name, "same_as": of, "pairs": n} for (place, name, of), n in counts.items()]

    def table(self) -> pd.DataFrame:
        """Return the rows, and beside each copy the name of the analysis whose numbers it has; nothing beside all others."""
        sources = pd.Series(self.names(self.rows.loc[self.copies["original"]]), index=self.copies.index, dtype=object)
        return self.rows.assign(same_as=sources.reindex(self.rows.index, fill_value=""))

    def names(self, rows: pd.DataFrame) -> list[str]:
        """Name analyses by their metric and what they change."""
        columns = ["metric", *COLUMNS]
        known = {
            tuple(row.values()): f"{short(row['metric'])} under {change_in_words(self.change(row))}"
            for row in records(rows[columns].drop_duplicates())
        }
        return [known[key] for key in rows[columns].itertuples(index=False, name=None)]

    def change(self, row: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
        """List the decisions in which an analysis leaves the base, the metric not among them."""
        return change_of({column: row[column] for column in COLUMNS}, self.options)

    def _flip(self, place: int, row: Mapping[str, Any]) -> dict[str, Any]:
        base = self.base[pair_of(row)]
        alike = self.copies[self.copies["original"] == place]
        also = [_changed(base, copy, self.change(copy)) for copy in records(alike[_n_changes(alike) == 1])]
        return {
            **{key: row[key] for key in PAIR},
            "metric": base["metric"],
            **_changed(base, row, self.change(row)),
            "base_verdict": base["verdict"],
            "verdict": row["verdict"],
            "kind": row["beside_base"],
            "base_difference": base["difference"],
            "difference": row["difference"],
            "base_effect": base["effect"],
            "effect": row["effect"],
            "base_p": base["p_adjusted"],
            "p": row["p_adjusted"],
            "also": "; ".join(f"{changed['decision']} {changed['to']}" for changed in also),
        }


def judge(part: Study, summary: pd.DataFrame, comparisons: pd.DataFrame) -> Judgement:
    """Say who wins each comparison of an experiment; metrics that only describe have no verdict.

    A system wins where its value is better, the users' differences point the same way and the p-value, adjusted as the design says,
    is below the study's α. An aggregate such as the median may disagree with the test: then nobody wins.
    """
    ranking = [str(metric) for metric in part.metrics if ranks_systems(str(metric))]
    pooled = rows_of(part, comparisons)
    rows = pooled[(pooled["fold"] == "all") & pooled["metric"].isin(ranking)].reset_index(drop=True)
    signs = np.asarray(rows["metric"].map({metric: improvement(metric) for metric in ranking}), dtype=np.float64)
    gaps = _differences(rows, rows_of(part, summary))
    rows["better"] = np.sign(signs * gaps)
    ahead = np.sign(signs * rows["difference"].to_numpy())
    won = (rows["p_adjusted"].to_numpy() < part.alpha) & (ahead != 0) & (ahead == rows["better"].to_numpy())
    winner = np.where(ahead > 0, rows["system_a"], rows["system_b"]).astype(object)
    rows["verdict"] = np.where(won, winner + " wins", UNDECIDED)
    rows["effect_low"], rows["effect_high"] = _effect_intervals(rows)
    base = base_options(rows)
    rows["n_changed"] = sum((rows[column] != base.get(column)).to_numpy(dtype=np.int64) for column in COLUMNS)
    rows["is_base_metric"] = rows["metric"] == (ranking[0] if ranking else "")
    rows["beside_base"] = _beside_base(rows)
    rows["original"] = originals(rows, PAIR, gaps, signs, _n_changes(rows))
    return Judgement(part, rows)


def verdict_rows(study: Study, summary: pd.DataFrame, comparisons: pd.DataFrame) -> pd.DataFrame:
    """Return the table of all verdicts of a study, experiment by experiment."""
    columns = [*VERDICT_COLUMNS, *COLUMNS, "seed", "is_base"]
    found = [judge(part, summary, comparisons).table()[columns] for part in study.parts()]
    return pd.concat(found, ignore_index=True)


def flip_rows(study: Study, summary: pd.DataFrame, comparisons: pd.DataFrame) -> pd.DataFrame:
    """Return the table of all verdicts of a study that a single change turns, contradictions first."""
    found = all_flips([judge(part, summary, comparisons) for part in study.parts()])
    return pd.DataFrame(found, columns=list(FLIP_COLUMNS))


def all_flips(judgements: Iterable[Judgement]) -> list[dict[str, Any]]:
    """List the verdicts of several experiments that a single change turns, contradictions first."""
    found = [flip for judged in judgements for flip in judged.flips()]
    return sorted(found, key=lambda flip: TURNS.index(flip["kind"]))


def pair_of(row: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return the data set and the systems of a row."""
    return row["dataset"], row["system_a"], row["system_b"]


def _n_changes(rows: pd.DataFrame) -> NDArray[np.int64]:
    """Count the decisions in which analyses leave the base, the metric among them."""
    return np.asarray(rows["n_changed"] + ~rows["is_base_metric"].astype(bool), dtype=np.int64)


def _differences(rows: pd.DataFrame, summary: pd.DataFrame) -> NDArray[np.float64]:
    """Return the first system's value minus the second's, for each row."""
    keys = ["dataset", "metric", *COLUMNS]
    values = summary[[*keys, "system", "value"]]
    found = rows[[*keys, "system_a", "system_b"]]
    for side in ("a", "b"):
        named = values.rename(columns={"system": f"system_{side}", "value": f"value_{side}"})
        found = found.merge(named, on=[*keys, f"system_{side}"], how="left")
    return np.asarray(found["value_a"] - found["value_b"], dtype=np.float64)


def _effect_intervals(rows: pd.DataFrame) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Divide the interval of each difference by the standard deviation that its effect size is divided by.

    That is difference / effect; where both are zero, the interval is that of a mean of n standard normal values.
    """
    difference, effect, users = (rows[name].to_numpy(dtype=np.float64) for name in ("difference", "effect", "users"))
    low, high = rows["low"].to_numpy(dtype=np.float64), rows["high"].to_numpy(dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        deviation = np.abs(difference / effect)
        is_known = np.isfinite(deviation) & (deviation > 0)
        levels = {test: NormalDist().inv_cdf((1 + confidence_of(test)) / 2) for test in rows["test"].unique()}
        half = rows["test"].map(levels).to_numpy(dtype=np.float64) / np.sqrt(users)
        open_ends = (effect == 0) & (low < high)
        ends = [
            np.where(is_known, end / deviation, np.where(open_ends, side * half, np.where(effect == 0, effect, np.nan)))
            for end, side in ((low, -1), (high, 1))
        ]
    return ends[0], ends[1]


def _beside_base(rows: pd.DataFrame) -> NDArray[Any]:
    base = rows[rows["is_base"] & rows["is_base_metric"]]
    known = dict(zip(base[list(PAIR)].itertuples(index=False, name=None), base["verdict"], strict=True))
    before = np.array([known.get(pair, UNDECIDED) for pair in rows[list(PAIR)].itertuples(index=False, name=None)], dtype=object)
    after = rows["verdict"].to_numpy(dtype=object)
    was_open, is_open = before == UNDECIDED, after == UNDECIDED
    return np.select([before == after, was_open, is_open], ["agrees", "decides", "undecides"], "contradicts")


def _changed(base: Mapping[str, Any], row: Mapping[str, Any], change: tuple[tuple[str, str], ...]) -> dict[str, str]:
    if not change:
        before, after = base["metric"], row["metric"]
        return {"code": "C2", "decision": _metric_change(before, after), "from": short(before), "to": short(after)}
    key, option = change[0]
    found = decision(key)
    before = option_in_full(found, str(base[found.column]))
    return {"code": found.code, "decision": found.name, "from": before, "to": option_in_full(found, option)}


def _metric_change(before: str, after: str) -> str:
    """Name what differs between two metrics: the cut-off, a parameter such as the gain, or the metric as such."""
    old, new = measured(before), measured(after)
    deeper = ["cut-off"] if old.cutoff != new.cutoff else []
    if old.metric.spec.name != new.metric.spec.name:
        return " and ".join(["Metric", *deeper])
    parameters = [key for key, value in old.metric.full_spec.params if new.metric.full_spec.get(key) != value]
    text = " and ".join([*(f"{key} of the metric" for key in parameters), *deeper])
    return f"{text[0].upper()}{text[1:]}"
