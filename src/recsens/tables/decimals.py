"""Decimals for a paper: all numbers of the same kind have the same number of decimals, as many as their spread supports."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from recsens.tables.numbers import MISSING, SPACE, common_decimals, fixed
from recsens.tables.table import Row, RowGroup, Table, TableCell


def with_common_decimals(table: Table) -> Table:
    """Print all numbers of the same kind in a table with the number of decimals that `common_decimals` chooses."""
    decimals = _decimals(cell for group in table.groups for row in group.rows for cell in row.cells)
    groups = tuple(
        RowGroup(group.title, tuple(Row(row.label, tuple(_printed(cell, decimals) for cell in row.cells)) for row in group.rows))
        for group in table.groups
    )
    return replace(table, groups=groups)


def _decimals(cells: Iterable[TableCell]) -> dict[str, int]:
    by_kind: dict[str, list[TableCell]] = {}
    for cell in cells:
        if cell.of:
            by_kind.setdefault(cell.of, []).append(cell)
    return {
        kind: common_decimals((number for cell in alike for number in cell.numbers), (cell.spread for cell in alike))
        for kind, alike in by_kind.items()
    }


def _printed(cell: TableCell, decimals: Mapping[str, int]) -> TableCell:
    if not cell.of or not cell.numbers or cell.text == MISSING:
        return cell
    n = decimals[cell.of]
    spread = f"±{SPACE}{fixed(cell.spread, n)}" if cell.extra and not math.isnan(cell.spread) else cell.extra
    return replace(cell, text=" to ".join(fixed(number, n) for number in cell.numbers), extra=spread)
