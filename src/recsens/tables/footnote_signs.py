"""Replace long remarks in a column by short signs, which the notes explain."""

from dataclasses import replace

from recsens.tables.table import Row, RowGroup, Table

_LONG = 40
"""If the cells of a column have more characters than this on average, signs replace the words in them."""

_LONG_IF_ALIKE = 12
"""The limit for a column with the same words in all rows; above it, the words move to the notes."""

_MOST = 20
"""Largest number of signs in a column."""


def with_signs(table: Table) -> Table:
    """Replace repeated remarks in wide columns by signs; return the same table if there is no such column."""
    for number, name in enumerate(table.columns):
        cells = [row.cells[number] for group in table.groups for row in group.rows]
        texts = list(dict.fromkeys(cell.text for cell in cells if cell.text))
        least = _LONG_IF_ALIKE if len(texts) == 1 else _LONG
        is_wide = all(cell.is_text for cell in cells) and sum(map(len, texts)) > least * max(len(texts), 1)
        repeats = len(texts) <= min(_MOST, len(cells) / 2)
        if is_wide and repeats and not any(cell.extra for cell in cells):
            return with_signs(_signed(table, number, name, texts))
    return table


def _signed(table: Table, place: int, name: str, texts: list[str]) -> Table:
    if len(texts) == 1 and all(row.cells[place].text for group in table.groups for row in group.rows):
        return table.select([other for other in range(len(table.columns)) if other != place]).noted(_note(name, texts[0]))
    signs = {"": "", **{text: f"{name[0]}{number}" for number, text in enumerate(texts, start=1)}}

    def row_of(row: Row) -> Row:
        cell = replace(row.cells[place], text=signs[row.cells[place].text])
        return replace(row, cells=(*row.cells[:place], cell, *row.cells[place + 1 :]))

    groups = tuple(RowGroup(group.title, tuple(map(row_of, group.rows))) for group in table.groups)
    return replace(table, groups=groups).noted(*(_note(signs[text], text) for text in texts))


def _note(sign: str, text: str) -> str:
    return f"{sign}: {text.rstrip('.')}."
