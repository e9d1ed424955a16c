"""Cells that know what they hold: a value, a p-value, a count or a share, each as printed and in full."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from recsens.arrays import grouped
from recsens.tables.numbers import (
    MISSING,
    SPACE,
    common_decimals,
    count,
    fixed,
    p_value,
    percentage,
    plus_minus,
    score,
    shared_decimals,
)
from recsens.tables.table import Row, Table, TableCell

_NAN = float("nan")


def score_cell(
    value: float, spread: float = _NAN, n_values: float = math.inf, *, of: str, is_best: bool = False, mark: str = ""
) -> TableCell:
    """Make the cell of a value and its spread; cells with the same measured quantity, ``of``, have the same number of decimals."""
    text, extra = score(value, spread, n_values), plus_minus(value, spread, n_values)
    return TableCell(text, is_best=is_best, extra=extra, numbers=(value,), spread=spread, of=of, mark=mark)


def compared_cells(values: Sequence[float], spreads: Iterable[float] = ()) -> list[TableCell]:
    """Make the cells of values that a reader compares, all with the decimals that `shared_decimals` chooses."""
    decimals = shared_decimals(values, spreads)
    return [TableCell(fixed(value, decimals), numbers=(value,)) for value in values]


def p_cell(value: float) -> TableCell:
    """Make the cell of a p-value."""
    return TableCell(p_value(value), numbers=(value,))


def count_cell(value: float) -> TableCell:
    """Make the cell of a count."""
    return TableCell(count(value), numbers=(value,))


def share_cell(value: float) -> TableCell:
    """Make the cell of a share between 0 and 1, printed as a percentage."""
    return TableCell(percentage(value), numbers=(value,))


def with_common_decimals(table: Table) -> Table:
    """Print all numbers of the same kind in a table for a paper with the number of decimals that `common_decimals` chooses."""
    by_kind = grouped((cell.of, cell) for row in table.rows for cell in row.cells if cell.of)
    decimals = {
        kind: common_decimals((number for cell in alike for number in cell.numbers), (cell.spread for cell in alike))
        for kind, alike in by_kind.items()
    }
    return table.with_rows(lambda row: Row(row.label, tuple(_print_cell(cell, decimals) for cell in row.cells)))


def _print_cell(cell: TableCell, decimals: Mapping[str, int]) -> TableCell:
    if not cell.of or not cell.numbers or cell.text == MISSING:
        return cell
    n = decimals[cell.of]
    spread = f"±{SPACE}{fixed(cell.spread, n)}" if cell.extra and not math.isnan(cell.spread) else cell.extra
    return replace(cell, text=" to ".join(fixed(number, n) for number in cell.numbers), extra=spread)
