"""A table's layout on a page of LaTeX's class article: its type size, which columns wrap, and how it is divided.

A table is set in the largest type that fits. Three layouts are tried in turn: the unchanged table, the table with broken headers,
and the table with columns of words that wrap. Each layout is tried in smaller and smaller type, down to the type of footnotes. If
none fits, rows and columns are swapped; then long remarks are replaced by signs; then the table is cut by columns. A table longer
than a page is cut by rows.

The widths are computed here, because no package does all of this. `adjustbox` shrinks a table to the width, but the result cannot
break over pages. Tables of verdicts, robustness and comparisons are 1.6 to 1.8 times as wide as the text, so shrinking would print
them in type of 5 to 6 points. `longtable` breaks over pages but shrinks nothing. Neither package wraps only where needed, swaps
rows and columns, or cuts by columns.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from recsens.tables.footnote_signs import with_signs
from recsens.tables.latex_text import pieces
from recsens.tables.latex_width import FOOTNOTE, NORMAL, SCRIPT, SMALL, Size, width
from recsens.tables.table import Row, RowGroup, Table, TableCell

TEXT_WIDTH = 343.0
"""Slightly less than the width of the text in class article, in points."""

_TEXT_HEIGHT = 500.0
"""Height of a page's text minus the space around a float, in points."""

_COMFORT = 60.0
"""A column of words narrower than this, in points, is hard to read."""

_WIDEST_LABEL = 0.36
"""Largest share of the text width for labels in a table that is cut by columns."""

_WIDEST_WORDS = 130.0
"""Largest width, in points, of any other column of words in a table that is cut by columns."""


@dataclass(frozen=True, slots=True)
class PageLayout:
    """The layout of one part of a table.

    Attributes
    ----------
    size
        Type size.
    gap
        Half the distance between columns, in points.
    widths
        Width of each column in points, starting with the column of labels; headers are broken to fit.
    wraps
        Whether each column wraps its words.
    """

    size: Size
    gap: float
    widths: tuple[float, ...]
    wraps: tuple[bool, ...]

    @property
    def total(self) -> float:
        """Total width."""
        return sum(self.widths) + 2 * self.gap * (len(self.widths) - 1)


@dataclass(frozen=True, slots=True)
class _Column:
    header: str
    cells: tuple[TableCell, ...]
    is_text: bool

    def natural(self, size: Size) -> float:
        return max((_cell_width(cell, size) for cell in self.cells), default=0.0)

    def narrowest(self, size: Size) -> float:
        """Return the width of the longest unbreakable piece."""
        texts = [self.header, *(f"{cell.text} {cell.extra}" for cell in self.cells)]
        return max((width(piece, size) for text in texts for word in text.split() for piece in pieces(word)), default=0.0)

    def header_width(self, size: Size, *, broken: bool) -> float:
        words = [piece for word in self.header.split() for piece in pieces(word)] if broken else [self.header]
        return max((width(word, size) for word in words), default=0.0)

    def header_in_two_lines(self, size: Size) -> float:
        words = self.header.split()
        halves = [(" ".join(words[:n]), " ".join(words[n:])) for n in range(1, len(words) + 1)]
        return min((max(width(half, size) for half in pair) for pair in halves), default=0.0)


def parts(table: Table) -> list[tuple[Table, PageLayout]]:
    """Lay out a table in one part, or in several parts that each fit a page and have their number in the caption."""
    by_columns = _by_columns(table)
    notes = by_columns[0][0].notes
    laid_out = [(part, layout) for wide, layout in by_columns for part in _by_rows(wide, layout)]
    if len(laid_out) == 1:
        return laid_out
    last = len(laid_out)
    return [
        (
            replace(
                part,
                key=f"{table.key}-{number}",
                caption=f"{table.caption} (part {number} of {last})",
                notes=notes if number == last else (),
                details=table.details if number == 1 else (),
            ),
            layout,
        )
        for number, (part, layout) in enumerate(laid_out, start=1)
    ]


def lines_of(text: str, limit: float, size: Size) -> list[str]:
    """Break a text into lines no wider than a limit in points; a single one of its `pieces` may be wider."""
    lines: list[str] = []
    for word in text.split(" "):
        for number, piece in enumerate(pieces(word)):
            joint = "" if number else " "
            if lines and width(lines[-1] + joint + piece, size) <= limit:
                lines[-1] += joint + piece
            else:
                lines.append(piece)
    return lines or [""]


def _by_columns(table: Table) -> list[tuple[Table, PageLayout]]:
    layout = _layout(table)
    if layout:
        return [(table, layout)]
    turned = _turned(table)
    if turned:
        return [turned]
    signed = with_signs(table)
    if signed is not table:
        return _by_columns(signed)
    return [(part, _layout(part) or _narrowest(part)) for part in _cut(table)]


def _layout(table: Table) -> PageLayout | None:
    """Return the largest layout that fits, or None."""
    columns = _columns(table)
    for size, gap, ways in ((NORMAL, 6.0, (False, True)), (SMALL, 5.0, (False, True)), (FOOTNOTE, 4.0, (True,))):
        naturals = [column.natural(size) for column in columns]
        for broken in ways:
            layout = _plain(columns, naturals, size, gap, broken=broken)
            if layout.total <= TEXT_WIDTH:
                return layout
    for size, gap in ((SMALL, 5.0), (FOOTNOTE, 4.0)):
        layout = _wrapped(columns, size, gap)
        comfortable = all(
            wide >= min(_COMFORT, column.natural(size))
            for wide, column, wraps in zip(layout.widths, columns, layout.wraps, strict=True)
            if wraps
        )
        if layout.total <= TEXT_WIDTH and comfortable:
            return layout
    return None


def _narrowest(table: Table) -> PageLayout:
    return _wrapped(_columns(table), FOOTNOTE, 3.0)


def _plain(columns: Sequence[_Column], naturals: Sequence[float], size: Size, gap: float, *, broken: bool) -> PageLayout:
    widths = [max(wide, column.header_width(size, broken=broken)) for column, wide in zip(columns, naturals, strict=True)]
    spare = TEXT_WIDTH - 2 * gap * (len(columns) - 1) - sum(widths)
    for number, column in enumerate(columns):
        more = column.header_in_two_lines(size) - widths[number]
        if 0 < more <= spare:
            widths[number] += more
            spare -= more
    return PageLayout(size, gap, tuple(widths), (False,) * len(columns))


def _wrapped(columns: Sequence[_Column], size: Size, gap: float) -> PageLayout:
    """Assign numeric columns the width they need; divide the rest among columns of words, and narrow the widest first."""
    fixed = [max(column.natural(size), column.header_width(size, broken=True)) for column in columns]
    least = [min(column.narrowest(size), wide) for column, wide in zip(columns, fixed, strict=True)]
    room = TEXT_WIDTH - 2 * gap * (len(columns) - 1)

    def under(cap: float) -> list[float]:
        return [
            min(wide, max(cap, low)) if column.is_text else wide for column, wide, low in zip(columns, fixed, least, strict=True)
        ]

    caps = sorted({0.0, *fixed, *(room * step / 64 for step in range(65))})
    fitting = [cap for cap in caps if sum(under(cap)) <= room]
    widths = under(fitting[-1] if fitting else 0.0)
    wraps = tuple(wide < full for wide, full in zip(widths, fixed, strict=True))
    return PageLayout(size, gap, tuple(widths), wraps)


def _turned(table: Table) -> tuple[Table, PageLayout] | None:
    """Swap rows and columns if the table then fits."""
    is_plain = len(table.groups) == 1 and not table.groups[0].title
    if not is_plain or any(column.is_text for column in _columns(table)[1:]):
        return None
    turned = table.transposed("")
    layout = _layout(turned)
    return (turned, layout) if layout else None


def _cut(table: Table) -> Iterator[Table]:
    """Cut a table by columns into parts about as wide as a page."""
    label, *columns = _columns(table)
    start = min(label.natural(FOOTNOTE), max(_WIDEST_LABEL * TEXT_WIDTH, label.narrowest(FOOTNOTE)))
    chosen: list[int] = []
    used = start
    for number, column in enumerate(columns):
        needed = max(column.natural(FOOTNOTE), column.header_width(FOOTNOTE, broken=True))
        if column.is_text:
            needed = min(needed, max(_WIDEST_WORDS, column.narrowest(FOOTNOTE)))
        needed += 8.0
        if chosen and used + needed > TEXT_WIDTH:
            yield table.select(chosen)
            chosen, used = [], start
        chosen.append(number)
        used += needed
    yield table.select(chosen)


def _by_rows(table: Table, layout: PageLayout) -> Iterator[Table]:
    """Cut a table by rows into parts that fit a page; if a group is cut, its title appears in both parts."""
    columns = _columns(table)
    surround = _lines((table.caption, *table.details), NORMAL) + _lines(table.notes, FOOTNOTE)
    head = layout.size.leading * max(
        len(lines_of(column.header, wide, layout.size)) for column, wide in zip(columns, layout.widths, strict=True)
    )
    room = _TEXT_HEIGHT - head - min(surround, _TEXT_HEIGHT / 2)
    kept: list[RowGroup] = []
    used = 0.0
    for group in table.groups:
        title = group.title
        rows: list[Row] = []
        used += _title_height(title, layout)
        for row in group.rows:
            height = _row_height(row, layout)
            if used + height > room and (rows or kept):
                yield replace(table, groups=(*kept, *([RowGroup(title, tuple(rows))] if rows else [])))
                title = f"{group.title} (continued)" if group.title and rows else group.title
                kept, rows, used = [], [], _title_height(title, layout)
            rows.append(row)
            used += height
        kept.append(RowGroup(title, tuple(rows)))
    yield replace(table, groups=tuple(kept))


def notes_fit(table: Table) -> bool:
    """Whether the notes are short enough for their table's float; if not, they are printed after the float."""
    return _lines(table.notes, FOOTNOTE) + _lines((table.caption, *table.details), NORMAL) <= _TEXT_HEIGHT / 2


def _lines(sentences: Iterable[str], size: Size) -> float:
    text = " ".join(sentences)
    return size.leading * len(lines_of(text, 0.93 * TEXT_WIDTH, size)) if text else 0.0


def _title_height(title: str, layout: PageLayout) -> float:
    return (len(lines_of(title, layout.total, layout.size)) * layout.size.leading + 5) if title else 0.0


def _row_height(row: Row, layout: PageLayout) -> float:
    texts = [row.label, *(f"{cell.text} {cell.extra}".strip() for cell in row.cells)]
    depths = [
        len(lines_of(text, 0.95 * wide, layout.size)) if wraps else 1
        for text, wide, wraps in zip(texts, layout.widths, layout.wraps, strict=True)
    ]
    return layout.size.leading * max(depths)


def _columns(table: Table) -> list[_Column]:
    rows = [row for group in table.groups for row in group.rows]
    labels = _Column(table.corner, tuple(TableCell(row.label, is_text=True) for row in rows), is_text=True)
    cells = list(zip(*(row.cells for row in rows), strict=True)) or [()] * len(table.columns)
    return [
        labels,
        *(
            _Column(header, column, is_text=bool(column) and all(cell.is_text for cell in column))
            for header, column in zip(table.columns, cells, strict=True)
        ),
    ]


def _cell_width(cell: TableCell, size: Size) -> float:
    extra = width(" ", size) + width(cell.extra, SCRIPT) if cell.extra else 0.0
    return width(cell.text, size, bold=cell.is_best) + extra + (5.0 if cell.mark else 0.0)
