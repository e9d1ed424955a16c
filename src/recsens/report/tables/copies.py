"""Analyses that repeat the numbers of another analysis."""

from collections.abc import Mapping, Sequence
from typing import Any

from recsens.tables.cells import count_cell
from recsens.tables.table import Row, RowGroup, Table, texts


def copies_table(copies: Sequence[Mapping[str, Any]]) -> Table:
    """Make a table of analyses that repeat the numbers of another analysis, each with that analysis."""
    groups: dict[str, list[Row]] = {}
    for row in copies:
        groups.setdefault(row["dataset"], []).append(Row(row["analysis"], (*texts([row["same_as"]]), count_cell(row["pairs"]))))
    return Table(
        "copies",
        "Analyses with the same numbers as another analysis, up to a constant factor",
        "Analysis",
        ("the same numbers as", "pairs of systems"),
        tuple(RowGroup(dataset, tuple(rows)) for dataset, rows in groups.items()),
        (
            (
                "The two analyses in each row of this table have the same users, the same differences up to a constant factor, "
                "the same weights and the same test result."
            ),
        ),
    )
