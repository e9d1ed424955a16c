"""Tables as CSV, with every number in full."""

import csv
import io
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from recsens.tables.numbers import MISSING
from recsens.tables.table import Table, TableCell


def rows_to_csv(rows: Iterable[Iterable[Any]]) -> str:
    """Write rows of texts and numbers as CSV; NaN and None are empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows(["" if isinstance(value, float) and math.isnan(value) else value for value in row] for row in rows)
    return text.getvalue()


def to_csv(table: Table) -> str:
    """Write a table as CSV: one line per row, its group first; shares are fractions of 1, and unknown values are empty.

    The spread or remark of a number is in a separate column, and so is each end of an interval.
    """
    columns = [column for name, own in zip(table.columns, table.cells_by_column, strict=True) for column in _columns(name, own)]
    titles = [group.title for group in table.groups for _ in group.rows]
    has_groups = any(group.title for group in table.groups)
    heads = [*([("group", titles)] if has_groups else []), (table.corner, [row.label for row in table.rows])]
    header = [name for name, _ in (*heads, *columns)]
    return rows_to_csv([header, *zip(*(values for _, values in (*heads, *columns)), strict=True)])


def _columns(name: str, cells: Sequence[TableCell]) -> Iterator[tuple[str, list[str]]]:
    if any(len(cell.numbers) > 1 for cell in cells):
        for end_number, end in enumerate(("from", "to")):
            # A cell with one number is an interval whose ends are equal.
            ends = [cell.numbers[min(end_number, len(cell.numbers) - 1)] if cell.numbers else math.nan for cell in cells]
            yield f"{name}, {end}", list(map(_number, ends))
    else:
        yield name, [_number(cell.numbers[0]) if cell.numbers else "" if cell.text == MISSING else cell.text for cell in cells]
    if any(cell.of and cell.extra for cell in cells):
        yield f"{name}, spread", [_number(cell.spread) for cell in cells]
    elif any(cell.extra for cell in cells):
        yield f"{name}, remark", [cell.extra for cell in cells]


def _number(value: float) -> str:
    return "" if math.isnan(value) else repr(int(value) if float(value).is_integer() else float(value))
