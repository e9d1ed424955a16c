"""Other tools' conventions as decisions: which users a tool averages, which ratings are relevant, and what its metrics compute."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from recsens.arrays import grouped
from recsens.conclusions.verdicts.components import measured
from recsens.conclusions.verdicts.pairs import UNINFORMATIVE, PairVerdicts, beside
from recsens.conclusions.verdicts.stability import Stability, stabilities
from recsens.conclusions.verdicts.study_tables import records
from recsens.metrics import MeasuredAt, parse_measured_at
from recsens.runs.audits._material import Sets
from recsens.runs.evaluation import CONVENTIONS, Convention, Theirs, tool_metrics_called

STUDY = "conventions.yaml"
"""The study with an experiment for the convention of each other tool."""

_OF_WHOLE_LISTS = frozenset({"nDCG", "AP", "RR"})
"""Metrics that are also useful without a cut-off; P and R over all items are the same for every order."""

_COUNT_FROM_THRESHOLD = frozenset({"ranksys", "above"})
"""Gains that depend on a rating's distance from the threshold, so the threshold matters even if all ratings are above it."""

_OF_RATINGS_FROM_0 = frozenset({"linear", "power"})
"""Gains that have no meaning for negative ratings."""

_OF_ANALYSIS = ("relevance", "user_selection", "coverage", "test", "correction")
_NUMBERS = ("value_a", "value_b", "difference", "low", "high", "p_value", "p_adjusted", "effect", "users", "winner", "verdict")

VERDICT_COLUMNS = ("convention", "theirs", "metric", "metric_full", *_OF_ANALYSIS, "system_a", "system_b", *_NUMBERS)
"""The columns of the table of verdicts under conventions."""


@dataclass(frozen=True)
class ToolMetric:
    """A metric under a tool's name, such as ``MAP@10``, and our metric that computes it."""

    theirs: str
    ours: MeasuredAt


@dataclass(frozen=True)
class Tool:
    """The part of a tool's convention that rankings determine.

    Attributes
    ----------
    name
        The tool.
    design
        The decisions of its convention: relevance, users and coverage.
    metrics
        Its metrics under these decisions.
    untold
        Phrases about metrics that the files do not determine; if the files determine none, one phrase about the whole convention.
    """

    name: str
    design: Mapping[str, Any]
    metrics: Sequence[ToolMetric]
    untold: Sequence[str]

    @property
    def label(self) -> str:
        """The label of its experiment."""
        return f"convention {self.name}"


def tools(tried: Sequence[str], sets: Sets, asked: Sequence[str], depth: int | None, *, have_scores: bool) -> list[Tool]:
    """Return, for each tool, its metrics that have the names of the audited metrics, at the cut-off of the first audited metric.

    Metrics that read below ``depth`` are left out. Metrics that read scores are left out too, unless all runs have scores
    (``have_scores``).
    """
    audited = [each for text in asked for each in parse_measured_at(text)]
    cutoff = next((each.cutoff for each in audited if not each.is_whole), 10)
    if depth is not None:
        cutoff = min(cutoff, depth)
    names = dict.fromkeys(each.metric.plugin_name() for each in audited)
    named = ((name, tool, theirs) for name in names for tool, theirs in tool_metrics_called(name) if tool in tried)
    by_tool = grouped((tool, theirs) for name, tool, theirs in named if theirs.cutoff != "never" or name in _OF_WHOLE_LISTS)
    return [_tool(CONVENTIONS[tool], by_tool[tool], sets, cutoff, depth, have_scores) for tool in by_tool]


def _tool(convention: Convention, named: Iterable[Theirs], sets: Sets, cutoff: int, depth: int | None, have_scores: bool) -> Tool:
    threshold = _threshold(convention, sets)
    problem = _why_undetermined(convention, sets, threshold)
    if problem:
        return Tool(convention.name, {}, (), (problem,))
    needs_relevant = convention.no_relevant == "skip"
    known = 1 if convention.unknown == "drop" else 0
    design = {
        # A threshold below the scale makes the same ratings relevant as a threshold at the lowest rating.
        "relevance": max(threshold, sets.scale.lowest),
        "users": f"with_ratings(train={known},{'relevant' if needs_relevant else 'test'}=1)",
        "coverage": "reduced" if convention.no_list == "skip" else "full",
        "view": "full",
    }
    metrics: dict[str, ToolMetric] = {}
    untold: list[str] = []
    for theirs in named:
        at = "" if theirs.cutoff == "never" else f"@{cutoff}"
        [ours] = parse_measured_at(f"{theirs.ours}{at}")
        if ours.metric.unit != "user":
            untold.append(f"{theirs.name}{at}, which has one value for all users")
        elif ours.is_whole and depth is not None:
            untold.append(f"{theirs.name}, which needs items after the first {depth}")
        elif "SteppedAP" in theirs.ours and not have_scores:
            untold.append(f"{theirs.name}, which reads scores")
        elif threshold < sets.scale.lowest and getattr(ours.metric, "gain", "") in _COUNT_FROM_THRESHOLD:
            untold.append(f"{theirs.name}{at}, whose gains count from {threshold:g} on, below the scale")
        elif sets.scale.lowest < 0 and getattr(ours.metric, "gain", "") in _OF_RATINGS_FROM_0:
            untold.append(f"{theirs.name}{at}, whose gains would be losses for ratings below 0")
        else:
            metrics.setdefault(str(ours), ToolMetric(f"{theirs.name}{at}", ours))
    return Tool(convention.name, design, tuple(metrics.values()), tuple(untold))


def _threshold(convention: Convention, sets: Sets) -> float:
    match convention.relevance:
        case None:
            return sets.threshold
        case "all":
            return sets.test_ratings[0]
        case threshold:
            return float(threshold)


def _why_undetermined(convention: Convention, sets: Sets, threshold: float) -> str:
    """Return why rankings without train items do not determine the values under a convention; empty if they do."""
    if convention.unjudged_below is not None and sets.test_ratings[0] < convention.unjudged_below:
        return f"a rating below {convention.unjudged_below:g} is not a judgement there"
    if convention.train_items == "low" and sets.lowest_train < threshold:
        return f"its lists keep the items that a user rated below {threshold:g} in train"
    if convention.unknown == "drop" and sets.n_untrained:
        return f"it leaves out the {sets.n_untrained:,} items that train lacks"
    return "" if threshold <= sets.test_ratings[-1] else f"no test rating reaches {threshold:g}"


def experiments(found: Sequence[Tool], dataset: str, vary: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """Return the experiments of a study: one for each tool that has metrics; ``vary`` has the tests and corrections to try."""
    return {
        tool.label: {
            "dataset": dataset,
            "design": dict(tool.design),
            **({"vary": dict(vary), "combine": "grid"} if vary else {}),
            "metrics": [each.ours.short for each in tool.metrics],
        }
        for tool in found
        if tool.metrics
    }


def verdict_rows(found: Sequence[Tool], judged: Sequence[PairVerdicts], summary: pd.DataFrame) -> pd.DataFrame:
    """Return every verdict under the conventions, with each metric's name in its tool and the values of both systems."""
    named = {(tool.label, str(each.ours)): (tool.name, each.theirs) for tool in found for each in tool.metrics}
    columns = ["dataset", "metric_full", "test"]
    value_of = summary.set_index([*columns, "system"])["value"].to_dict()
    rows = []
    for row in (row for verdicts in judged for row in records(verdicts.rows)):
        key = row["dataset"], row["metric_full"]
        if key in named:
            tool, theirs = named[key]
            of = {f"value_{side}": value_of[(*(row[name] for name in columns), row[f"system_{side}"])] for side in "ab"}
            rows.append({**row, **of, "convention": tool, "theirs": theirs})
    return pd.DataFrame(rows, columns=VERDICT_COLUMNS)


def add_verdicts(verdicts: PairVerdicts, rows: pd.DataFrame) -> list[Stability]:
    """Add the verdicts under other tools' conventions to each pair's verdicts; analyses with the same numbers count once.

    Metrics with one value for all users have no test, and their analyses are left out.
    """
    by_pair = {pair: records(own) for pair, own in rows.groupby(["system_a", "system_b"], sort=False)}
    return [_add_rows(pair, by_pair.get((pair.base["system_a"], pair.base["system_b"]), [])) for pair in stabilities(verdicts)]


def _add_rows(pair: Stability, rows: Sequence[Mapping[str, Any]]) -> Stability:
    base, known = pair.base, {_analysis_numbers(row) for row in (pair.base, *pair.others)}
    others = [row for row in pair.others if has_test(row["metric_full"])]
    for row in rows:
        if row["verdict"] != UNINFORMATIVE and _analysis_numbers(row) not in known:
            known.add(_analysis_numbers(row))
            others.append({**row, "beside_base": beside(base["verdict"], row["verdict"])})
    return replace(pair, others=others)


def has_test(metric: str) -> bool:
    """Whether a metric has a value for each user, so that a test can compare two systems."""
    return measured(metric).metric.unit == "user"


def _analysis_numbers(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return winner, users, both p and effect size; they are equal for two analyses whose differences agree up to a factor."""
    return row["winner"], row["users"], *(f"{row[name]:.9g}" for name in ("p_value", "p_adjusted", "effect"))
