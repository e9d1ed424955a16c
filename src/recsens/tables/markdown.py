"""Tables as Markdown that is also readable as plain text."""

import re
from collections.abc import Iterable, Sequence

from recsens.tables.table import Table, TableCell


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
