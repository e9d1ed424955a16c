"""The order of the systems, printed and ours."""

import math

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from recsens.conclusions.verdicts.changes import base_options, change_of
from recsens.conclusions.verdicts.metric_names import direction, ranks_systems
from recsens.conclusions.verdicts.results import records
from recsens.conclusions.verdicts.words import change_in_words
from recsens.study.taxonomy import FULL_COLUMNS
from recsens.tables.cells import count_cell, score_cell
from recsens.tables.table import Row, RowGroup, Table, TableCell


def order_table(summary: pd.DataFrame) -> Table:
    """Show how far the order of the systems agrees with the printed one, by Kendall's τ over pairs of systems.

    τ = (n_same - n_other) / n over all pairs whose printed values differ, and over those alone that differ by a tenth of the
    larger or more. Systems that come to the same value by every printed metric rank alike, and count as one, the first. A metric
    needs three systems printed under the same design.
    """
    rows = summary[summary["published"].notna() & summary["value"].notna()]
    base = base_options(summary)
    groups: dict[str, list[Row]] = {}
    for (dataset, *_), chosen in rows.groupby(["dataset", *FULL_COLUMNS], sort=False):
        change = change_of(records(chosen.head(1))[0], base)
        for metric, group in _distinct(chosen).groupby("metric_full", sort=False):
            if len(group) > 2 and ranks_systems(str(metric)):
                printed, ours = group["published"].to_numpy(), direction(str(metric)) * group["value"].to_numpy()
                cells = [cell for least in (0.0, 0.1) for cell in _agreement(direction(str(metric)) * printed, ours, least)]
                label = f"{group['metric'].iloc[0]}{f', {change_in_words(change)}' if change else ''}"
                groups.setdefault(str(dataset), []).append(Row(label, (count_cell(len(group)), *cells)))
    notes = (
        "Pairs 10 % apart: their printed values differ by a tenth of the larger or more.",
        "Systems that rank alike count as one.",
    )
    return Table(
        "published-order",
        "Order of the systems, printed and ours",
        "Metric",
        ("systems", "pairs", "Kendall's τ", "pairs 10 % apart", "Kendall's τ of these"),
        tuple(RowGroup(title, tuple(lines)) for title, lines in groups.items()),
        notes,
    )


def _distinct(rows: pd.DataFrame) -> pd.DataFrame:
    """Leave out systems that have the values of an earlier one by every metric."""
    values = rows.pivot_table(index="system", columns="metric_full", values="value", sort=False)
    return rows[rows["system"].isin(values.index[~values.duplicated()])]


def _agreement(printed: NDArray[np.float64], ours: NDArray[np.float64], least: float) -> tuple[TableCell, TableCell]:
    first, second = np.triu_indices(len(printed), 1)
    gap = printed[first] - printed[second]
    # A hair below: .30 and .27 are a tenth apart, which floating point may not find.
    apart = np.abs(gap) >= least * np.maximum(np.abs(printed[first]), np.abs(printed[second])) - 1e-12
    counts = (gap != 0) & apart
    same = np.sign(gap[counts]) * np.sign(ours[first] - ours[second])[counts]
    return count_cell(len(same)), score_cell(float(same.mean()) if len(same) else math.nan, of="tau")
