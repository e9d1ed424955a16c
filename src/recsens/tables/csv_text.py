"""Tables as CSV, with every number in full."""

import csv
import io
import math
from collections.abc import Iterator, Sequence

from recsens.tables.numbers import MISSING
from recsens.tables.table import Table, TableCell


def to_csv(table: Table) -> str:
    """Write a table as CSV: one line per row, its group first; shares are fractions of 1, and unknown values are empty.

    The spread or remark of a number is in a separate column, and so is each end of an interval.
    """
    rows = [(group.title, row) for group in table.groups for row in group.rows]
    cells = list(zip(*(row.cells for _, row in rows), strict=True)) or [()] * len(table.columns)
    columns = [column for name, own in zip(table.columns, cells, strict=True) for column in _columns(name, own)]
    has_groups = any(group.title for group in table.groups)
    heads = [*([("group", [title for title, _ in rows])] if has_groups else []), (table.corner, [row.label for _, row in rows])]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([name for name, _ in (*heads, *columns)])
    writer.writerows(zip(*(values for _, values in (*heads, *columns)), strict=True))
    return text.getvalue()


def _columns(name: str, cells: Sequence[TableCell]) -> Iterator[tuple[str, list[str]]]:
    if any(len(cell.numbers) > 1 for cell in cells):
        for end_number, end in enumerate(("from", "to")):
            yield (
                f"{name}, {end}",
                [_number(_end(cell, end_number)) for cell in cells],
            )
    else:
        yield name, [_number(cell.numbers[0]) if cell.numbers else _text(cell) for cell in cells]
    if any(cell.of and cell.extra for cell in cells):
        yield f"{name}, spread", [_number(cell.spread) for cell in cells]
    elif any(cell.extra for cell in cells):
        yield f"{name}, remark", [cell.extra for cell in cells]


def _end(cell: TableCell, number: int) -> float:
    return cell.numbers[min(number, len(cell.numbers) - 1)] if cell.numbers else math.nan


def _text(cell: TableCell) -> str:
    return "" if cell.text == MISSING else cell.text


def _number(value: float) -> str:
    return "" if math.isnan(value) else repr(int(value) if float(value).is_integer() else float(value))
