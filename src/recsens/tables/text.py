"""Tables as aligned text, for a terminal."""

from recsens.tables.table import Table


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
