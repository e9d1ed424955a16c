"""The sizes of the data after each filter."""

import math
from dataclasses import replace

import pandas as pd

from recsens.conclusions.verdicts.study_tables import records
from recsens.tables.cells import count_cell
from recsens.tables.numbers import percentage
from recsens.tables.table import Row, RowGroup, Table, TableCell

_NAN = float("nan")

_SIZES = ("users", "items", "ratings")


def filter_table(datasets: pd.DataFrame) -> Table:
    """Show the sizes of the data after each filter of each chain."""
    rows = datasets[datasets["chain"] != ""]
    groups = []
    for (dataset, _), chosen in rows.groupby(["dataset", "chain_full"], sort=False):
        values = {(row["step"], row["metric"]): row["value"] for row in records(chosen)}
        names = dict(zip(chosen["step"], chosen["filter"], strict=True))
        lines = []
        for step, link in names.items():
            label = link or "as read"
            cells = [_kept(values.get((step, size), _NAN), values.get(("0", size), _NAN), is_first=not link) for size in _SIZES]
            lines.append(Row(label, tuple(cells)))
        groups.append(RowGroup(f"{dataset}, {chosen['chain'].iloc[0]}", tuple(lines)))
    note = "The number in brackets is the share of the unfiltered data that remains after the filter."
    return Table("filters", "What each filter leaves", "After", _SIZES, tuple(groups), (note,))


def _kept(left: float, read: float, *, is_first: bool) -> TableCell:
    share = left / read if read > 0 else _NAN
    return replace(count_cell(left), extra="" if is_first or math.isnan(share) else f"({percentage(share)})")
