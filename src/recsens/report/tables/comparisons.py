"""All pairs of systems compared under the base design."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd

from recsens.conclusions.verdicts.components import from_splits, n_splits_of, ranks_systems
from recsens.conclusions.verdicts.pairs import PAIR
from recsens.conclusions.verdicts.study_tables import in_order, records
from recsens.report.sentences.counts import EFFECTIVE_USERS, weigh_apart
from recsens.report.sentences.evidence import interval_name, value_difference
from recsens.report.sentences.meaning import hypotheses
from recsens.report.system_remarks import calibrated
from recsens.study import Experiment
from recsens.tables.cells import count_cell, p_cell, share_cell
from recsens.tables.numbers import MISSING, estimate, score
from recsens.tables.table import Row, RowGroup, Table, TableCell, slug

MAX_FOLDS = 10
"""Largest number of folds for which a table shows separate p-values."""

_RESAMPLED = (
    "Resampled p: the p-value of a t-test over the folds, corrected for overlapping train sets, {}; this p-value also "
    "generalises to other splits."
)
_UNCORRECTED = " It is not corrected for the number of pairs."

_Maker = Callable[[float], TableCell]


def comparison_table(study: Experiment, comparisons: pd.DataFrame, verdicts: pd.DataFrame, dataset: str) -> Table:
    """Show every pair of systems under the base design: difference, interval, effect size and p-values, also fold by fold."""
    rows = comparisons[(comparisons["dataset"] == dataset) & comparisons["is_base"]]
    # Metrics without a better direction have no verdict, so no detectable difference.
    keys = [*PAIR, "metric_full"]
    rows = rows.merge(verdicts.loc[verdicts["is_base"], [*keys, "detectable"]], on=keys, how="left")
    folds = [fold for fold in in_order(rows["fold"]) if fold != "all"]
    folds = folds if len(folds) > 1 else []
    shown = folds if len(folds) <= MAX_FOLDS else []
    pooled = rows[rows["fold"] == "all"]
    columns: dict[str, tuple[str, _Maker]] = {
        **({"value_difference": ("of values", _difference_cell)} if _values_differ(pooled) else {}),
        "effect": ("d_z", partial(_difference_cell, of="d_z")),
        "detectable": ("detectable", _difference_cell),
        # If p is corrected, the corrected p comes first.
        **({"p_adjusted": ("adjusted p", p_cell)} if study.design.correction != "none" else {}),
        "p_value": ("p", p_cell),
        "users": ("users", count_cell),
        **({"effective_users": ("effective users", count_cell)} if weigh_apart(pooled, "users") else {}),
        **({"share_significant": ("share of samples", share_cell)} if pooled["share_significant"].notna().any() else {}),
        **({"resampled_p": ("resampled p", p_cell)} if pooled["resampled_p"].notna().any() else {}),
        **({"median_p": ("median p", p_cell)} if folds else {}),
    }
    groups = []
    for metric in study.metrics:
        by_pair: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
        for row in records(rows[rows["metric_full"] == str(metric)]):
            by_pair.setdefault((row["system_a"], row["system_b"]), {})[row["fold"]] = row
        lines = [_comparison(*pair, by_pair[pair], columns, shown) for pair in study.pairs() if pair in by_pair]
        groups.append(RowGroup(metric.written, tuple(lines)))
    return Table(
        f"comparisons-{slug(dataset)}",
        f"{dataset}: systems compared under the base design",
        "Systems",
        ("difference", interval_name(study), *(header for header, _ in columns.values()), *shown),
        tuple(group for group in groups if group.rows),
        (*_comparison_notes(study, columns, n_hidden=len(folds) - len(shown)), *hypotheses({"": pooled})),
    )


def _comparison(
    a: str, b: str, by_fold: Mapping[str, Mapping[str, Any]], columns: Mapping[str, tuple[str, _Maker]], folds: Sequence[str]
) -> Row:
    main = by_fold["all"]
    difference, low, high = estimate(main["difference"], main["low"], main["high"])
    half, of = (main["high"] - main["low"]) / 2, main["metric"]
    interval = (
        TableCell(MISSING, numbers=(math.nan, math.nan))
        if math.isnan(main["low"])
        else TableCell(f"{low} to {high}", numbers=(main["low"], main["high"]), spread=half, of=of)
    )
    own = [p_cell(by_fold[fold]["p_value"] if fold in by_fold else math.nan) for fold in folds]
    rest = [cell(main[column]) for column, (_, cell) in columns.items()]
    return Row(f"{a} and {b}", (TableCell(difference, numbers=(main["difference"],), spread=half, of=of), interval, *rest, *own))


def _values_differ(rows: pd.DataFrame) -> bool:
    """Whether the difference between the values prints differently from the tested difference."""
    return any(value_difference(row["difference"], row["value_difference"], row["low"], row["high"]) for row in records(rows))


def _difference_cell(value: float, of: str = "") -> TableCell:
    return TableCell(score(value), numbers=(value,), of=of)


def _detectable(study: Experiment) -> str:
    """Explain the column of detectable differences, and say what a win requires."""
    correction, needs = study.design.correction, []
    if correction != "none":
        needs.append(f"a p-value below α divided by the number of pairs (the first and strictest step of {correction})")
    if not study.margin.is_zero:
        needs.append("an interval that lies wholly beyond the margin")
    rule = f" A win needs {', and '.join(needs)}." if needs else ""
    if not all(ranks_systems(str(metric)) for metric in study.metrics):
        rule += " For metrics that only describe rankings, neither direction is better, so there is no winner."
    detectable = (
        "the smallest true difference that would be a win with a probability of 80 %, given the number of users and the spread of "
        "their differences"
    )
    return f"Detectable: {detectable}.{rule}"


def _comparison_notes(study: Experiment, columns: Mapping[str, object], *, n_hidden: int) -> Iterator[str]:
    yield (
        "Difference: the first system minus the second, with each user's values averaged over folds. d_z: the mean of the users' "
        "differences divided by their standard deviation."
    )
    if "value_difference" in columns:
        yield "Of values: the difference between the two systems' scores; the test does not compare these scores."
    yield _detectable(study)
    if not study.margin.is_zero:
        margin = f"{study.margin}{' of the better value' if study.margin.is_share else ''}"
        yield (
            f"A difference counts if its whole interval lies beyond the margin of {margin}; two systems are equivalent if the "
            "whole interval lies within this margin."
        )
    if "p_adjusted" in columns:
        yield f"Verdicts use the adjusted p ({study.design.correction}, over the pairs of systems on one metric)."
    if "effective_users" in columns:
        yield EFFECTIVE_USERS
    if "share_significant" in columns:
        yield "Share of samples: of the subsamples of users that the test draws, the share with a p-value below the test's α."
    if "resampled_p" in columns:
        over = from_splits(n_splits_of(str(study.design.split), str(study.design.repeats)))
        yield _RESAMPLED.format(over) + (_UNCORRECTED if "p_adjusted" in columns else "")
    if n_hidden:
        yield f"Median p: the median over the {n_hidden} folds; comparisons.csv has the p-value of each fold."
    elif "median_p" in columns:
        yield "The last columns give the median p-value over folds, and the p-value of each fold."
    if flattered := calibrated(study):
        yield flattered
