"""Tables as LaTeX, for any class of one or two columns; they need only the packages booktabs and tabularx."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate

from recsens.tables.latex_text import breakable_pieces, escape, escape_breakable
from recsens.tables.table import Row, Table, TableCell

_ONE_COLUMN = 229.0
"""Width of a column of a page in two columns, in points: 229 in class article, 241 in the proceedings of ACM (acmart, sigconf)."""

_CHARACTER = {r"\small": 4.7, r"\footnotesize": 4.3}
"""Width of a digit in points, by type size; an average letter is slightly narrower."""

_GAP = 2
"""Distance between columns, in characters."""

_HEADER = 10
"""A header of more characters than this is broken into lines, if the cells of its column are not wider."""

_NARROWEST = 12
"""Least number of characters of a column of words that wraps."""

_PAGE = 46
"""Number of lines of small type on a page, with some reserve."""


@dataclass(frozen=True, slots=True)
class PageLayout:
    """The layout of one part of a table.

    Attributes
    ----------
    is_wide
        Whether it goes across a page in two columns.
    size
        The command of its type size.
    limit
        The greatest width that fits, in characters.
    widths
        The width of each column in characters, starting with the column of labels.
    wraps
        Whether each column wraps its words; the columns that do are equally wide.
    is_text
        Whether each column has words instead of numbers.
    fits
        Whether the table fits.
    """

    is_wide: bool
    size: str
    limit: int
    widths: tuple[int, ...]
    wraps: tuple[bool, ...]
    is_text: tuple[bool, ...]
    fits: bool


@dataclass(frozen=True, slots=True)
class _Column:
    header: str
    cells: tuple[TableCell, ...]
    is_text: bool

    @property
    def natural(self) -> int:
        header = min(len(self.header), max(_HEADER, _longest_piece(self.header)))
        return max([header, *(len(cell.text + cell.mark + cell.extra) for cell in self.cells)])

    @property
    def least(self) -> int:
        """The least width at which words wrap."""
        return min(self.natural, max([_NARROWEST, *map(_longest_piece, (self.header, *(cell.text for cell in self.cells)))]))


def page_parts(table: Table, width: float) -> list[tuple[Table, PageLayout]]:
    """Lay out a table in one part, or in several parts that each fit a page of some width and have their number in the caption."""
    laid_out = [(part, layout) for wide, layout in _split_columns(table, width) for part in _split_rows(wide, layout)]
    last = len(laid_out)
    if last == 1:
        return laid_out
    numbered = []
    for number, (part, layout) in enumerate(laid_out, start=1):
        notes, details = table.notes if number == last else (), table.details if number == 1 else ()
        key, caption = f"{table.key}-{number}", f"{table.caption} (part {number} of {last})"
        numbered.append((replace(part, key=key, caption=caption, notes=notes, details=details), layout))
    return numbered


def wrap_text(text: str, limit: int) -> list[str]:
    """Break a text into lines of at most so many characters; a single one of its `breakable_pieces` may be longer."""
    lines: list[str] = []
    for word in text.split(" "):
        for number, piece in enumerate(breakable_pieces(word)):
            joint = "" if number else " "
            if lines and len(lines[-1] + joint + piece) <= limit:
                lines[-1] += joint + piece
            else:
                lines.append(piece)
    return lines


def _split_columns(table: Table, width: float) -> Iterator[tuple[Table, PageLayout]]:
    narrow = _page_layout(table, _ONE_COLUMN, r"\small")
    if narrow.fits and not any(narrow.wraps):
        yield table, narrow
        return
    columns = list(range(len(table.columns)))
    while columns:
        n = next((n for n in range(len(columns), 1, -1) if _wide_layout(table.select(columns[:n]), width).fits), 1)
        part, columns = table.select(columns[:n]), columns[n:]
        yield part, _wide_layout(part, width)


def _wide_layout(table: Table, width: float) -> PageLayout:
    layout = _page_layout(table, width, r"\small")
    return layout if layout.fits else _page_layout(table, width, r"\footnotesize")


def _page_layout(table: Table, width: float, size: str) -> PageLayout:
    """Give numbers and short words the width that they need; long words wrap and share the rest."""
    columns = [
        _Column(table.corner, tuple(TableCell(row.label) for row in table.rows), is_text=True),
        *(
            _Column(header, column, is_text=bool(column) and all(cell.is_text for cell in column))
            for header, column in zip(table.columns, table.cells_by_column, strict=True)
        ),
    ]
    limit = int(width / _CHARACTER[size])
    widths = [column.natural for column in columns]
    wraps = [False] * len(columns)
    room = limit - _GAP * (len(columns) - 1) - sum(column.natural for column in columns if not column.is_text)
    words = sorted((number for number, column in enumerate(columns) if column.is_text), key=lambda number: widths[number])
    for done, number in enumerate(words):
        share = max(1, room // (len(words) - done))
        wraps[number] = widths[number] > share
        widths[number] = min(widths[number], share)
        room -= widths[number]
    if any(len(group.title) > sum(widths) + _GAP * (len(columns) - 1) for group in table.groups):
        wraps[0] = True
    fits = room >= 0 and all(wide >= column.least for wide, column in zip(widths, columns, strict=True))
    is_text = tuple(column.is_text for column in columns)
    return PageLayout(width > _ONE_COLUMN, size, limit, tuple(widths), tuple(wraps), is_text, fits)


def _split_rows(table: Table, layout: PageLayout) -> Iterator[Table]:
    """Divide a table by rows into parts that fit a page; if a group is divided, its title appears in both parts."""
    header = max(len(wrap_text(text, wide)) for text, wide in zip((table.corner, *table.columns), layout.widths, strict=True))
    around = len(wrap_text(" ".join((table.caption, *table.details, *table.notes)), layout.limit))
    room = max(_PAGE - header - around, _PAGE // 3)
    heights = [_row_height(row, layout) for row in table.rows]
    while True:
        titles = [2 if group.title and not number else 0 for group in table.groups for number in range(len(group.rows))]
        n = max(1, sum(height <= room for height in accumulate(map(sum, zip(heights, titles, strict=True)))))
        yield table.first(n, "")
        if n >= len(heights):
            return
        table, heights = table.after(n), heights[n:]


def _row_height(row: Row, layout: PageLayout) -> int:
    texts = [row.label, *(f"{cell.text} {cell.extra}" for cell in row.cells)]
    return max(
        len(wrap_text(text, wide)) if wraps else 1 for text, wide, wraps in zip(texts, layout.widths, layout.wraps, strict=True)
    )


def _longest_piece(text: str) -> int:
    return max(len(piece) for word in text.split(" ") for piece in breakable_pieces(word))


NEEDS = "% Needs \\usepackage{booktabs,tabularx}\n\n"

_FLOATS = 12
"""LaTeX must print its floats after this many tables, because it has memory for only a few dozen floats."""

_WRAPPED = r">{\raggedright\arraybackslash}"


def to_floats(table: Table, width: float) -> list[str]:
    """Write a table as one or several floats, none of them wider than some number of points."""
    return [_float_text(part, layout) for part, layout in page_parts(table, width)]


def in_one_file(floats: Iterable[str]) -> str:
    r"""Join floats to the text of a LaTeX file, which can be pasted or included with ``\input``."""
    written = [f"\\clearpage\n{text}" if number and number % _FLOATS == 0 else text for number, text in enumerate(floats)]
    return NEEDS + "\n".join(written)


def _float_text(table: Table, layout: PageLayout) -> str:
    environment = "table*" if layout.is_wide else "table"
    tabular, width = ("tabularx", r"{\linewidth}") if any(layout.wraps) else ("tabular", "")
    lines = [
        rf"\begin{{{environment}}}[htbp]",
        r"\centering\sloppy",
        _caption(table),
        rf"\label{{tab:{table.key}}}\par\medskip",
        rf"{layout.size}\setlength{{\tabcolsep}}{{4pt}}",
        rf"\begin{{{tabular}}}{width}{{@{{}}{_column_types(layout)}@{{}}}}",
        r"\toprule",
        _line(_header_lines(table, layout)),
        r"\midrule",
        *_body_lines(table, layout),
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


def _column_types(layout: PageLayout) -> str:
    columns = zip(layout.wraps, layout.is_text, strict=True)
    return "".join(rf"{_WRAPPED}X" if wraps else "l" if is_text else "r" for wraps, is_text in columns)


def _header_lines(table: Table, layout: PageLayout) -> Iterator[str]:
    columns = zip((table.corner, *table.columns), layout.widths, layout.wraps, layout.is_text, strict=True)
    for header, wide, wraps, is_text in columns:
        lines = wrap_text(header, wide)
        if wraps or len(lines) == 1:
            yield escape_breakable(header) if wraps else escape(header)
        else:
            stacked = r" \\ ".join(map(escape, lines))
            yield rf"\begin{{tabular}}[b]{{@{{}}{'l' if is_text else 'r'}@{{}}}}{stacked}\end{{tabular}}"


def _body_lines(table: Table, layout: PageLayout) -> Iterator[str]:
    title_column = rf"@{{}}{_WRAPPED}p{{\linewidth}}@{{}}" if any(layout.wraps) else "@{}l@{}"
    for number, group in enumerate(table.groups):
        if group.title:
            if number:
                yield r"\addlinespace"
            yield _line([rf"\multicolumn{{{len(layout.widths)}}}{{{title_column}}}{{\emph{{{escape_breakable(group.title)}}}}}"])
        for row in group.rows:
            cells = (TableCell(row.label), *row.cells)
            yield _line(_cell_text(cell, breakable=wraps) for cell, wraps in zip(cells, layout.wraps, strict=True))


def _cell_text(cell: TableCell, *, breakable: bool) -> str:
    written = escape_breakable if breakable else escape
    text = rf"\textbf{{{written(cell.text)}}}" if cell.is_best else written(cell.text)
    marked = rf"{text}$^{{{cell.mark}}}$" if cell.mark else text
    return rf"{marked} {{\scriptsize {written(cell.extra)}}}" if cell.extra else marked


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"
