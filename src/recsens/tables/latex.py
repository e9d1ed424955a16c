"""Tables as LaTeX, at most as wide as the text of class article; they need only the package booktabs."""

from collections.abc import Iterable, Iterator, Sequence

from recsens.tables.latex_layout import TEXT_WIDTH, PageLayout, lines_of, notes_fit, parts
from recsens.tables.latex_text import escape, escape_breakable
from recsens.tables.latex_width import NORMAL, width
from recsens.tables.table import Row, Table, TableCell

NEEDS = "% Needs \\usepackage{booktabs}\n\n"

_FLOATS = 12
"""LaTeX must print its floats after this many tables, because it has memory for only a few dozen floats."""


def to_latex(tables: Iterable[Table]) -> str:
    r"""Write each table as one or several floats, which can be pasted or included with ``\input``."""
    return in_one_file(written for table in tables for written in to_floats(table))


def to_floats(table: Table) -> list[str]:
    """Write a table as one or several floats."""
    return [_float(part, layout) for part, layout in parts(table)]


def in_one_file(floats: Iterable[str]) -> str:
    """Join floats to the text of a LaTeX file."""
    written = [f"\\clearpage\n{text}" if number and number % _FLOATS == 0 else text for number, text in enumerate(floats)]
    return NEEDS + "\n".join(written)


def _float(table: Table, layout: PageLayout) -> str:
    inside = notes_fit(table)
    lines = [
        r"\begin{table}[htbp]",
        r"\centering\sloppy",
        _caption(table),
        rf"\label{{tab:{table.key}}}\par\medskip",
        *([layout.size.command] if layout.size is not NORMAL else []),
        *([rf"\setlength{{\tabcolsep}}{{{layout.gap:g}pt}}"] if layout.size is not NORMAL else []),
        rf"\begin{{tabular}}{{@{{}}{_alignments(table, layout)}@{{}}}}",
        r"\toprule",
        _line(_headers(table, layout), layout),
        r"\midrule",
        *_body(table, layout),
        r"\bottomrule",
        r"\end{tabular}",
        *([rf"\par\smallskip{{{_notes(table)}}}"] if table.notes and inside else []),
        r"\end{table}",
        *([rf"\noindent{{{_notes(table)}}}"] if table.notes and not inside else []),
    ]
    return "\n".join([*lines, ""])


def _caption(table: Table) -> str:
    short = escape(table.caption)
    if not table.details:
        return rf"\caption{{{escape_breakable(table.caption)}}}"
    return rf"\caption[{{{short}}}]{{{escape_breakable(' '.join([f'{table.caption}.', *table.details]))}}}"


def _notes(table: Table) -> str:
    return rf"\footnotesize\raggedright {escape_breakable(' '.join(table.notes))}\par"


def _body(table: Table, layout: PageLayout) -> Iterator[str]:
    n_columns = len(table.columns) + 1
    for number, group in enumerate(table.groups):
        if group.title:
            if number:
                yield r"\addlinespace"
            yield _line([rf"\multicolumn{{{n_columns}}}{{{_title_column(group.title, layout)}}}{{{_title(group.title)}}}"], layout)
        for row in group.rows:
            yield _row(row, layout)


def _title_column(title: str, layout: PageLayout) -> str:
    is_long = width(title, layout.size) > layout.total
    return f"@{{}}p{{{min(layout.total, TEXT_WIDTH):.0f}pt}}@{{}}" if is_long else "@{}l@{}"


def _title(title: str) -> str:
    return rf"\raggedright\emph{{{escape_breakable(title)}}}"


def _alignments(table: Table, layout: PageLayout) -> str:
    sides = ["l", *_sides(table)]
    return "".join(
        f"p{{{wide:.0f}pt}}" if wraps else side for side, wide, wraps in zip(sides, layout.widths, layout.wraps, strict=True)
    )


def _headers(table: Table, layout: PageLayout) -> list[str]:
    sides = ["l", *_sides(table)]
    return [
        rf"\raggedright {escape_breakable(header)}" if wraps else _broken(lines_of(header, wide + 0.5, layout.size), side)
        for header, side, wide, wraps in zip((table.corner, *table.columns), sides, layout.widths, layout.wraps, strict=True)
    ]


def _sides(table: Table) -> list[str]:
    columns = list(zip(*(row.cells for group in table.groups for row in group.rows), strict=True)) or [()] * len(table.columns)
    return ["l" if column and all(cell.is_text for cell in column) else "r" for column in columns]


def _broken(lines: Sequence[str], side: str) -> str:
    if len(lines) == 1:
        return escape(lines[0])
    stacked = r" \\ ".join(map(escape, lines))
    return rf"\begin{{tabular}}[b]{{@{{}}{side}@{{}}}}{stacked}\end{{tabular}}"


def _row(row: Row, layout: PageLayout) -> str:
    label, *wraps = layout.wraps
    texts = [rf"\raggedright {escape_breakable(row.label)}" if label else escape(row.label)]
    for cell, wrapped in zip(row.cells, wraps, strict=True):
        texts.append(rf"\raggedright {_cell(cell, breakable=True)}" if wrapped else _cell(cell))
    return _line(texts, layout)


def _cell(cell: TableCell, *, breakable: bool = False) -> str:
    written = escape_breakable if breakable else escape
    text = rf"\textbf{{{written(cell.text)}}}" if cell.is_best else written(cell.text)
    marked = rf"{text}$^{{{cell.mark}}}$" if cell.mark else text
    return rf"{marked} {{\scriptsize {written(cell.extra)}}}" if cell.extra else marked


def _line(cells: Iterable[str], layout: PageLayout) -> str:
    # In a cell that wraps, ``\\`` would end a line of the cell instead of the row.
    return " & ".join(cells) + (r" \tabularnewline" if any(layout.wraps) else r" \\")
