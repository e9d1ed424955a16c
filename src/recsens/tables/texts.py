"""Tables and results as text: aligned for a terminal, and as CSV, JSON and Markdown."""

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from recsens.tables.numbers import MISSING
from recsens.tables.table import Table, TableCell


def to_text(table: Table) -> str:
    """Write a table in lines, without caption and notes: words to the left, numbers to the right, a group's title in its own line.

    Examples
    --------
    >>> from recsens.tables.cells import compared_cells
    >>> from recsens.tables.table import Row, RowGroup
    >>> rows = (Row("P@10", tuple(compared_cells([0.4521, 0.4473]))), Row("RMSE", tuple(compared_cells([12.518, 0.4]))))
    >>> print(to_text(Table("values", "Values", "metric", ("A", "B"), (RowGroup("", rows),))))
    metric       A     B
    P@10      .452  .447
    RMSE    12.518  .400
    """
    header = [table.corner, *table.columns]
    is_text = [True, *(bool(column) and all(cell.is_text for cell in column) for column in table.cells_by_column)]
    lines = [[row.label, *(f"{cell.text}{cell.mark} {cell.extra}".rstrip() for cell in row.cells)] for row in table.rows]
    widths = [max(map(len, column)) for column in zip(header, *lines, strict=True)]

    def aligned(texts: list[str]) -> str:
        return "  ".join(
            text.ljust(width) if words else text.rjust(width) for text, width, words in zip(texts, widths, is_text, strict=True)
        ).rstrip()

    written = [aligned(header)]
    for group in table.groups:
        written += [group.title] if group.title else []
        written += [aligned(lines.pop(0)) for _ in group.rows]
    return "\n".join(written)


def to_json(content: Mapping[str, Any]) -> str:
    """Write a result as JSON; numbers that JSON lacks (NaN and infinity) become null.

    Examples
    --------
    >>> print(to_json({"values": [0.25, float("nan")]}))
    {
      "values": [
        0.25,
        null
      ]
    }
    """
    return json.dumps(_finite(content), indent=2, ensure_ascii=False, allow_nan=False)


def _finite(content: Any) -> Any:
    if isinstance(content, Mapping):
        return {key: _finite(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_finite(value) for value in content]
    return None if isinstance(content, float) and not math.isfinite(content) else content


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


def escape(text: str) -> str:
    r"""Escape a text, so that Markdown prints it unchanged, in one line; not all readers of Markdown escape tags by a backslash.

    Examples
    --------
    >>> escape("Pop_1|*"), escape("<b> & 1 < 2")
    ('Pop\\_1\\|\\*', '&lt;b\\> & 1 \\< 2')
    """
    text = re.sub(r"&(?=#?\w+;)", "&amp;", " ".join(text.split("\n")))
    text = re.sub(r"<(?=[A-Za-z/!?])", "&lt;", text)
    return re.sub(r"([\\`*_\[\]<>|])", r"\\\1", text)


def in_one_page(title: str, sections: Iterable[str]) -> str:
    """Join tables that are written as Markdown, under the title."""
    return "\n".join([f"# {escape(title)}", "", *sections])


def table_as_markdown(table: Table) -> str:
    """Write a table under its caption, with its notes below."""
    rows: list[list[str]] = []
    for group in table.groups:
        if group.title:
            rows.append([f"*{escape(group.title)}*", *[""] * len(table.columns)])
        rows += [[escape(row.label), *map(_cell, row.cells)] for row in group.rows]
    is_text = [True, *(all(cell.is_text for cell in column) for column in table.cells_by_column)]
    header = [escape(text) for text in (table.corner, *table.columns)]
    widths = [max(3, *map(len, column)) for column in zip(header, *rows, strict=True)]
    rule = ["-" * width if words else f"{'-' * (width - 1)}:" for width, words in zip(widths, is_text, strict=True)]
    lines = [_line(header, widths), _line(rule, widths), *(_line(row, widths) for row in rows)]
    details = [f"{escape(' '.join(table.details))}\n"] * bool(table.details)
    notes = [f"\n{escape(' '.join(table.notes))}"] * bool(table.notes)
    return "\n".join([f"## {escape(table.caption)}", "", *details, *lines, *notes, ""])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return f"| {' | '.join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))} |"


def _cell(cell: TableCell) -> str:
    text = f"**{escape(cell.text)}**" if cell.is_best else escape(cell.text)
    return f"{text}{escape(cell.mark)} {escape(cell.extra)}".rstrip()
