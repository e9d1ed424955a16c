"""Printed values next to ours, as tables and in a sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from recsens.arrays import Floats
from recsens.conclusions.design_space import DesignSpace, change_in_words
from recsens.conclusions.verdicts.components import direction, ranks_systems
from recsens.conclusions.verdicts.study_tables import Results, records
from recsens.outcomes.winner import FIRST, SECOND, ahead
from recsens.report.system_remarks import calibrated
from recsens.study import Study
from recsens.study.taxonomy import DECISIONS, FULL_COLUMNS
from recsens.tables.cells import count_cell, p_cell, score_cell
from recsens.tables.numbers import MINUS, MISSING, deviation_of, p_value, score, spread_of
from recsens.tables.table import Row, Table, TableCell, row_groups, texts

_NOTE = (
    "Deviation: our value minus the printed value. In %: the deviation as a percentage of the printed value. Spread: the sample "
    "standard deviation of our values over folds."
)

_SAME = [
    *("dataset", "system_a", "system_b", "metric_full"),
    *(each.column if each.kind is None else each.full_column for each in DECISIONS),
]
"""Columns of a pair of systems under a metric and a design."""


def published_tables(study: Study, results: Results) -> list[Table]:
    """Show printed scores, orders of systems and p-values next to ours; empty tables are left out."""
    tables = [published_score_table(results), order_table(results.summary), p_value_table(results.comparisons)]
    return [with_provenance(study, table) for table in tables if not table.is_empty]


def published_score_table(results: Results) -> Table:
    """Show printed scores next to ours."""
    rows = records(results.summary[results.summary["published"].notna()])
    has_spread = any(not math.isnan(row["spread"]) for row in rows)
    has_notes = any(row["note"] for row in rows)
    lines = []
    for row in rows:
        value, printed, spread = row["value"], row["published"], row["spread"]
        n_folds = row["n_folds"]
        deviation = value - printed
        ours = score(value, spread, n_folds) if spread > 0 else score(value)
        # The deviation has as many decimals as our value.
        text = deviation_of(value, deviation, spread, n_folds) if spread > 0 else score(deviation)
        cells = (
            TableCell(score(printed), numbers=(printed,)),
            TableCell(ours, numbers=(value,)),
            TableCell(f"+{text}" if deviation > 0 else text, numbers=(deviation,)),
            TableCell(_relative_deviation(value, printed)),
            *([TableCell(spread_of(value, spread, n_folds), numbers=(spread,))] if has_spread else []),
            *texts([row["source"], *([row["note"]] if has_notes else [])]),
        )
        lines.append((row["dataset"], Row(f"{row['system']}, {row['metric']}", cells)))
    columns = ("printed", "ours", "deviation", "in %", *(["spread"] * has_spread), "source", *(["note"] * has_notes))
    return Table("published-scores", "Scores, printed and ours", "What", columns, row_groups(lines), (_NOTE,))


def with_provenance(study: Study, table: Table) -> Table:
    """Name the systems whose parameters were chosen on test data."""
    return table.noted(*filter(None, [calibrated(*study.all_experiments())]))


def _relative_deviation(value: float, published: float) -> str:
    if published == 0 or math.isnan(value):
        return MISSING
    return f"{100 * (value / published - 1):+.1f}".replace("-", MINUS)


def order_table(summary: pd.DataFrame) -> Table:
    """Show how well our order of systems agrees with the printed order, by Kendall's τ over pairs of systems.

    τ = (n_same - n_other) / n, once over all pairs whose printed values differ, and once over pairs whose printed values differ by
    at least a tenth of the larger value. Systems with the same value on every printed metric count as one system, and only the
    first is used. A metric is shown if at least three systems are printed under the same design.
    """
    rows = summary[summary["published"].notna() & summary["value"].notna()]
    space = DesignSpace(summary)
    lines = []
    for (dataset, *_), chosen in rows.groupby(["dataset", *FULL_COLUMNS], sort=False):
        change = space.change(records(chosen.head(1))[0])
        for metric, group in _distinct_systems(chosen).groupby("metric_full", sort=False):
            if len(group) > 2 and ranks_systems(str(metric)):
                printed, ours = group["published"].to_numpy(), direction(str(metric)) * group["value"].to_numpy()
                cells = [cell for least in (0.0, 0.1) for cell in _agreement_cells(direction(str(metric)) * printed, ours, least)]
                label = f"{group['metric'].iloc[0]}{f', {change_in_words(change)}' if change else ''}"
                lines.append((str(dataset), Row(label, (count_cell(len(group)), *cells))))
    notes = (
        "Pairs 10 % apart: pairs whose printed values differ by at least 10 % of the larger value.",
        "Systems with the same values on every printed metric count as one system.",
    )
    columns = ("systems", "pairs", "Kendall's τ", "pairs 10 % apart", "Kendall's τ of these pairs")
    return Table("published-order", "Order of the systems, printed and ours", "Metric", columns, row_groups(lines), notes)


def _distinct_systems(rows: pd.DataFrame) -> pd.DataFrame:
    """Leave out systems with the same values as an earlier system on every metric."""
    values = rows.pivot_table(index="system", columns="metric_full", values="value", sort=False)
    return rows[rows["system"].isin(values.index[~values.duplicated()])]


def _agreement_cells(printed: Floats, ours: Floats, least: float) -> tuple[TableCell, TableCell]:
    first, second = np.triu_indices(len(printed), 1)
    gap = printed[first] - printed[second]
    # Subtract a little, because rounding errors could otherwise make .30 and .27 differ by less than a tenth.
    apart = np.abs(gap) >= least * np.maximum(np.abs(printed[first]), np.abs(printed[second])) - 1e-12
    counts = (gap != 0) & apart
    same = np.sign(gap[counts]) * np.sign(ours[first] - ours[second])[counts]
    return count_cell(len(same)), score_cell(float(same.mean()) if len(same) else math.nan, of="tau")


def p_value_table(comparisons: pd.DataFrame) -> Table:
    """Show the p-values on folds next to printed p-values, and the system that is ahead, because a p-value has no direction."""
    lines = []
    for row in records(comparisons[comparisons["published"].notna() & (comparisons["fold"] == "all")]):
        same = comparisons[_SAME].eq([row[key] for key in _SAME]).all(axis=1)
        folds = comparisons[same & (comparisons["fold"] != "all")]
        cells = (
            p_cell(row["published"]),
            p_cell(row["p_value"] if math.isnan(row["median_p"]) else row["median_p"]),
            TableCell(f"{p_value(folds['p_value'].min())} to {p_value(folds['p_value'].max())}" if len(folds) else "–"),
            *texts([_leader_in_folds(row, folds["difference"]), row["source"]]),
        )
        lines.append((row["dataset"], Row(f"{row['system_a']} and {row['system_b']}, {row['metric']}", cells)))
    note = "A printed p-value comes from one split; the next columns have the median and the range of our p-values over folds."
    columns = ("printed", "ours", "folds", "ahead in ours", "source")
    return Table("published-p", "p-values, printed and ours", "What", columns, row_groups(lines), (note,))


def _leader_in_folds(row: Mapping[str, Any], differences: pd.Series[float]) -> str:
    sign = direction(str(row["metric"]))
    side = SECOND if ahead(row["difference"], sign) == SECOND else FIRST
    leader = row["system_b"] if side == SECOND else row["system_a"]
    n_agree = int((ahead(differences, sign) == side).sum())
    return f"{leader}, in {n_agree} of {len(differences)} folds" if len(differences) > 1 else str(leader)


def agreement_with_print(summary: pd.DataFrame) -> str:
    """Say how much our scores differ from the printed scores, and whether the same systems lead; empty without printed scores.

    If all printed values of a metric are equal, no system is ahead, and the metric is not counted.
    """
    printed = summary[summary["published"].notna()]
    if printed.empty:
        return ""
    farthest = max(records(printed), key=lambda row: abs(row["value"] - row["published"]))
    value, deviation = farthest["value"], abs(farthest["value"] - farthest["published"])
    gap = deviation_of(value, deviation, farthest["spread"], farthest["n_folds"]) if farthest["spread"] > 0 else score(deviation)
    where = f"{farthest['system']}, {farthest['metric']}"
    scores = f"{len(printed)} of our scores have" if len(printed) > 1 else "One of our scores has"
    text = f"{scores} a printed counterpart; the largest deviation is {gap} ({where})."
    n_same, n = 0, 0
    for (_, metric), group in printed.groupby(["dataset", "metric_full"], sort=False):
        rows = records(group)
        if len({row["published"] for row in rows}) > 1 and ranks_systems(str(metric)):
            sign = direction(str(metric))
            ours = max(rows, key=lambda row: sign * row["value"])
            n += 1
            n_same += sign * ours["published"] == max(sign * row["published"] for row in rows)
    if not n:
        return text
    cases = (
        f"all {n} cases (each a metric on a data set)"
        if n_same == n and n > 1
        else f"{n_same} of {n} case{'s' * (n > 1)} ({'each ' * (n > 1)}a metric on a data set)"
    )
    return f"{text} In {cases}, the system with the best printed score also has the best score here."
