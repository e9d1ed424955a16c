"""Tables as LaTeX, for any class of one or two columns; they need only the packages booktabs and tabularx."""

from collections.abc import Iterable, Iterator

from recsens.tables.latex_layout import PageLayout, lines_of, parts
from recsens.tables.latex_text import escape, escape_breakable
from recsens.tables.table import Table, TableCell

NEEDS = "% Needs \\usepackage{booktabs,tabularx}\n\n"

_FLOATS = 12
"""LaTeX must print its floats after this many tables, because it has memory for only a few dozen floats."""

_WRAPPED = r">{\raggedright\arraybackslash}"


def to_floats(table: Table, width: float) -> list[str]:
    """Write a table as one or several floats, none of them wider than some number of points."""
    return [_float(part, layout) for part, layout in parts(table, width)]


def in_one_file(floats: Iterable[str]) -> str:
    r"""Join floats to the text of a LaTeX file, which can be pasted or included with ``\input``."""
    written = [f"\\clearpage\n{text}" if number and number % _FLOATS == 0 else text for number, text in enumerate(floats)]
    return NEEDS + "\n".join(written)


def _float(table: Table, layout: PageLayout) -> str:
    environment = "table*" if layout.is_wide else "table"
    tabular, width = ("tabularx", r"{\linewidth}") if any(layout.wraps) else ("tabular", "")
    lines = [
        rf"\begin{{{environment}}}[htbp]",
        r"\centering\sloppy",
        _caption(table),
        rf"\label{{tab:{table.key}}}\par\medskip",
        rf"{layout.size}\setlength{{\tabcolsep}}{{4pt}}",
        rf"\begin{{{tabular}}}{width}{{@{{}}{_alignments(layout)}@{{}}}}",
        r"\toprule",
        _line(_headers(table, layout)),
        r"\midrule",
        *_body(table, layout),
        r"\bottomrule",
        rf"\end{{{tabular}}}",
        *([rf"\par\smallskip{{\footnotesize\raggedright {escape_breakable(' '.join(table.notes))}\par}}"] if table.notes else []),
        rf"\end{{{environment}}}",
    ]
    return "\n".join([*lines, ""])


def _caption(table: Table) -> str:
    short = escape(table.caption)
    if not table.details:
        return rf"\caption{{{escape_breakable(table.caption)}}}"
    return rf"\caption[{{{short}}}]{{{escape_breakable(' '.join([f'{table.caption}.', *table.details]))}}}"


def _alignments(layout: PageLayout) -> str:
    columns = zip(layout.wraps, layout.is_text, strict=True)
    return "".join(rf"{_WRAPPED}X" if wraps else "l" if is_text else "r" for wraps, is_text in columns)


def _headers(table: Table, layout: PageLayout) -> Iterator[str]:
    columns = zip((table.corner, *table.columns), layout.widths, layout.wraps, layout.is_text, strict=True)
    for header, wide, wraps, is_text in columns:
        lines = lines_of(header, wide)
        if wraps or len(lines) == 1:
            yield escape_breakable(header) if wraps else escape(header)
        else:
            stacked = r" \\ ".join(map(escape, lines))
            yield rf"\begin{{tabular}}[b]{{@{{}}{'l' if is_text else 'r'}@{{}}}}{stacked}\end{{tabular}}"


def _body(table: Table, layout: PageLayout) -> Iterator[str]:
    title_column = rf"@{{}}{_WRAPPED}p{{\linewidth}}@{{}}" if any(layout.wraps) else "@{}l@{}"
    for number, group in enumerate(table.groups):
        if group.title:
            if number:
                yield r"\addlinespace"
            yield _line([rf"\multicolumn{{{len(layout.widths)}}}{{{title_column}}}{{\emph{{{escape_breakable(group.title)}}}}}"])
        for row in group.rows:
            cells = (TableCell(row.label), *row.cells)
            yield _line(_cell(cell, breakable=wraps) for cell, wraps in zip(cells, layout.wraps, strict=True))


def _cell(cell: TableCell, *, breakable: bool) -> str:
    written = escape_breakable if breakable else escape
    text = rf"\textbf{{{written(cell.text)}}}" if cell.is_best else written(cell.text)
    marked = rf"{text}$^{{{cell.mark}}}$" if cell.mark else text
    return rf"{marked} {{\scriptsize {written(cell.extra)}}}" if cell.extra else marked


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"
