"""Printed p-values beside ours."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from recsens.conclusions.verdicts.metric_names import direction
from recsens.conclusions.verdicts.results import records
from recsens.outcomes.winner import FIRST, SECOND, ahead
from recsens.study.taxonomy import DECISIONS
from recsens.tables.cells import p_cell
from recsens.tables.numbers import p_value
from recsens.tables.table import Row, RowGroup, Table, TableCell, texts

_SAME = [
    *("dataset", "system_a", "system_b", "metric_full"),
    *(each.column if each.kind is None else each.full_column for each in DECISIONS),
]
"""Columns of a pair of systems under a metric and a design."""


def p_value_table(comparisons: pd.DataFrame) -> Table:
    """Show the folds' p-values beside the printed ones, and who is ahead, since a p-value has no direction."""
    groups: dict[str, list[Row]] = {}
    for row in records(comparisons[comparisons["published"].notna() & (comparisons["fold"] == "all")]):
        same = comparisons[_SAME].eq([row[key] for key in _SAME]).all(axis=1)
        folds = comparisons[same & (comparisons["fold"] != "all")]
        cells = (
            p_cell(row["published"]),
            p_cell(_median_or_own(row)),
            TableCell(f"{p_value(folds['p_value'].min())} to {p_value(folds['p_value'].max())}" if len(folds) else "–"),
            *texts([_ahead(row, folds["difference"]), row["source"]]),
        )
        groups.setdefault(row["dataset"], []).append(Row(_pair_and_metric(row), cells))
    note = "A printed p-value rests on one split: beside it stand the median and the range of our folds' own p-values."
    columns = ("printed", "ours", "folds", "ahead in ours", "source")
    titled = tuple(RowGroup(title, tuple(rows)) for title, rows in groups.items())
    return Table("published-p", "p-values, printed and ours", "What", columns, titled, (note,))


def _pair_and_metric(row: Mapping[str, Any]) -> str:
    return f"{row['system_a']} and {row['system_b']}, {row['metric']}"


def _median_or_own(row: Mapping[str, Any]) -> float:
    return float(row["p_value"] if math.isnan(row["median_p"]) else row["median_p"])


def _ahead(row: Mapping[str, Any], differences: pd.Series[float]) -> str:
    sign = direction(str(row["metric"]))
    side = SECOND if ahead(row["difference"], sign) == SECOND else FIRST
    leader = row["system_b"] if side == SECOND else row["system_a"]
    n_agree = int((ahead(differences, sign) == side).sum())
    return f"{leader}, in {n_agree} of {len(differences)} folds" if len(differences) > 1 else str(leader)
