"""A table for print, in any markup: groups of labelled rows under one header."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from recsens.arrays import grouped


@dataclass(frozen=True, slots=True)
class TableCell:
    """A row's content in one column.

    Attributes
    ----------
    text
        The content.
    is_best
        Whether the content is the best value, which is printed in bold.
    extra
        A smaller addition, such as a spread.
    is_text
        Whether the content consists of words instead of a number; numbers are set flush right.
    numbers
        The printed number in full, or the two ends of an interval; empty for words.
    spread
        The spread of the number, which determines how many decimals are meaningful; NaN if the spread is unknown.
    of
        The measured quantity; in a paper, all numbers of a quantity have the same number of decimals. Empty if the content must
        stay unchanged.
    mark
        A sign after the content, explained by a note, such as an asterisk for significance.
    """

    text: str
    is_best: bool = False
    extra: str = ""
    is_text: bool = False
    numbers: tuple[float, ...] = ()
    spread: float = float("nan")
    of: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A label and a cell for each column."""

    label: str
    cells: tuple[TableCell, ...]


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows under a common title; the title may be empty."""

    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Table:
    """A table for print.

    Attributes
    ----------
    key
        A short name, unique within a document.
    caption
        A text that says what the table shows.
    corner
        The header of the column of row labels.
    columns
        Column headers.
    groups
        The rows.
    notes
        Sentences below the table.
    details
        Sentences that complete the caption in a paper: which users are averaged, over how many folds, and which test is used.
    remarks
        Remarks, by label, on labels of rows and columns, such as *untuned*; they are printed after the label.
    """

    key: str
    caption: str
    corner: str
    columns: tuple[str, ...]
    groups: tuple[RowGroup, ...]
    notes: tuple[str, ...] = field(default=())
    details: tuple[str, ...] = field(default=())
    remarks: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether it has no rows."""
        return not self.rows

    @property
    def rows(self) -> list[Row]:
        """The rows of all groups."""
        return [row for group in self.groups for row in group.rows]

    @property
    def cells_by_column(self) -> list[tuple[TableCell, ...]]:
        """The cells of each column."""
        return list(zip(*(row.cells for row in self.rows), strict=True)) or [()] * len(self.columns)

    def with_rows(self, changed: Callable[[Row], Row]) -> Table:
        """Return the table with each row replaced by another."""
        return replace(self, groups=tuple(RowGroup(group.title, tuple(map(changed, group.rows))) for group in self.groups))

    def transposed(self, corner: str) -> Table:
        """Swap rows and columns within each group; all groups must have the same row labels."""
        labels = [row.label for row in self.groups[0].rows]
        if any([row.label for row in group.rows] != labels for group in self.groups):
            raise ValueError(f"the groups of table '{self.key}' have different rows")
        rows = [
            [Row(name, tuple(row.cells[n] for row in group.rows)) for n, name in enumerate(self.columns)] for group in self.groups
        ]
        groups = tuple(RowGroup(group.title, tuple(own)) for group, own in zip(self.groups, rows, strict=True))
        return replace(self, corner=corner, columns=tuple(labels), groups=groups)

    def with_remarks(self) -> Table:
        """Write the remark of a label after it, in brackets; only for print, because files are searched by label."""

        def remarked(label: str) -> str:
            return f"{label} ({self.remarks[label]})" if label in self.remarks else label

        labelled = self.with_rows(lambda row: replace(row, label=remarked(row.label)))
        return replace(labelled, columns=tuple(map(remarked, self.columns)), remarks={})

    def select(self, columns: Sequence[int]) -> Table:
        """Return the table with some columns only."""
        selected = self.with_rows(lambda row: Row(row.label, tuple(row.cells[column] for column in columns)))
        return replace(selected, columns=tuple(self.columns[column] for column in columns))

    def noted(self, *notes: str) -> Table:
        """Add notes, except notes that the table already has."""
        return replace(self, notes=tuple(dict.fromkeys((*self.notes, *notes))))

    def first(self, n: int, note: str) -> Table:
        """Return the table with its first ``n`` rows; add a note if rows are left out."""
        if len(self.rows) <= n:
            return self
        kept: list[RowGroup] = []
        for group in self.groups:
            room = n - sum(len(other.rows) for other in kept)
            if room > 0:
                kept.append(replace(group, rows=group.rows[:room]))
        return replace(self, groups=tuple(kept), notes=tuple(filter(None, (*self.notes, note))))

    def after(self, n: int) -> Table:
        """Leave out the first ``n`` rows, and the groups that become empty."""
        kept: list[RowGroup] = []
        for group in self.groups:
            rows, n = group.rows[n:], max(0, n - len(group.rows))
            if rows:
                kept.append(replace(group, rows=rows))
        return replace(self, groups=tuple(kept))


def slug(label: str) -> str:
    """Convert a label to part of a table's key."""
    return "".join(character if character.isalnum() else "-" for character in label.lower()).strip("-")


def row_groups(rows: Iterable[tuple[str, Row]]) -> tuple[RowGroup, ...]:
    """Collect rows, each with the title of its group, into groups in order of first occurrence."""
    return tuple(RowGroup(title, tuple(own)) for title, own in grouped(rows).items())


def texts(values: Sequence[str]) -> tuple[TableCell, ...]:
    """Convert each text to a cell of words."""
    return tuple(TableCell(value, is_text=True) for value in values)
