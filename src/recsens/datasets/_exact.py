"""The reference reader of delimited files: one line at a time, every fault named with its line."""

from __future__ import annotations

import csv
from array import array
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from recsens.datasets._layout import Layout, Positions, find_columns
from recsens.datasets._rows import Invalid, Rows
from recsens.datasets._text import open_text, without_nul
from recsens.datasets._values import InvalidValueError, read_rating, read_timestamp, remedy
from recsens.errors import DataError

Record = tuple[int, list[str], int]
"""Number of the first line (from 1), fields, number of lines."""


def records(path: Path, layout: Layout) -> Iterator[Record]:
    """Return an iterator over the records of a file; empty lines are none.

    Raises
    ------
    DataError
        If a line holds NUL characters, a field is longer than can be read, or quotes cannot be read: an unclosed one would swallow
        the lines after it. None of these is ever skipped: what follows is not what it seems.
    """
    return _quoted(path, layout) if layout.reads_quotes else _plain(path, layout)


def read_exactly(path: Path, layout: Layout, invalid: Invalid) -> Rows:
    """Read a file line by line.

    Raises
    ------
    DataError
        At the first fault, or at the first that ``invalid=skip`` cannot skip.
    """
    found = records(path, layout)
    first = next(found, None)
    if first is None:
        raise DataError("the file is empty", where=str(path), remedy="check that it was downloaded or written completely")
    line, fields, n_lines = first
    positions = find_columns(path, layout, fields, line)
    builder = _Builder(path, layout, positions, invalid)
    if not layout.header:
        builder.add(line, fields, n_lines)
    for line, fields, n_lines in found:
        builder.add(line, fields, n_lines)
    return builder.rows()


def line_of_row(path: Path, layout: Layout, row: int) -> int:
    """Return the number of the line at which a data row stands, counted from 0 without the header."""
    place = row + layout.header
    return next(line for number, (line, _, _) in enumerate(records(path, layout)) if number == place)


def _plain(path: Path, layout: Layout) -> Iterator[Record]:
    separator = layout.separator
    with open_text(path, layout.encoding) as lines:
        for number, line in enumerate(without_nul(lines, path, layout.encoding), start=1):
            text = line.rstrip("\r\n")
            if text:
                yield number, text.split(separator), 1


def _quoted(path: Path, layout: Layout) -> Iterator[Record]:
    with open_text(path, layout.encoding) as lines:
        reader = csv.reader(without_nul(lines, path, layout.encoding), delimiter=layout.separator, strict=True)
        while True:
            start = reader.line_num + 1
            try:
                fields = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                raise _unreadable(f"{path}:{start}", error) from error
            if fields:
                yield start, fields, reader.line_num + 1 - start


def _unreadable(where: str, error: csv.Error) -> DataError:
    if str(error).startswith("field larger"):
        longest = csv.field_size_limit()
        return DataError(
            f"a field of the record that begins here has more than {longest:,} characters",
            where=where,
            allowed=f"fields of up to {longest:,} characters",
            remedy="if a double quote opens the field and nothing closes it, correct that, or declare quoted=false if quotes are "
            "ordinary characters of this file; else leave the column of long texts out of the file",
        )
    return DataError(
        f"double quotes are not balanced in the record that begins here ({error})",
        where=where,
        allowed='"field", with a quote inside it written ""',
        remedy="correct the line, or declare quoted=false if quotes are ordinary characters of this file",
    )


class _Builder:
    """Collects valid rows; stops at or counts the others."""

    def __init__(self, path: Path, layout: Layout, positions: Positions, invalid: Invalid) -> None:
        self.path = path
        self.layout = layout
        self.at = positions
        self.invalid = invalid
        self.n_invalid = 0
        self.users: dict[str, int] = {}
        self.items: dict[str, int] = {}
        # Few distinct ratings occur: each text is read and checked once.
        self.known: dict[str, float] = {}
        self.user, self.item, self.line = array("i"), array("i"), array("q")
        self.rating, self.timestamp = array("d"), array("q")

    def add(self, line: int, fields: list[str], n_lines: int) -> None:
        """Add a record, or deal with it as an invalid one."""
        try:
            self._append(fields)
        except InvalidValueError as error:
            # A record of several lines may be a stray quote that swallowed good ones.
            if self.invalid == "error" or n_lines > 1:
                raise self._fault(line, error) from error
            self.n_invalid += 1
        else:
            self.line.append(line)

    def _append(self, fields: list[str]) -> None:
        at = self.at
        if len(fields) != at.width:
            raise InvalidValueError(
                f"the line has {len(fields)} field{'s' * (len(fields) != 1)}, the first line has {at.width}",
                f"{at.width} fields separated by {self.layout.separator!r}",
            )
        user, item = fields[at.user], fields[at.item]
        if not user or not item:
            raise InvalidValueError(f"the {'item' if user else 'user'} is missing", "any text but an empty one")
        rating = 0.0 if at.rating is None else self._rating(fields[at.rating])
        timestamp = 0 if at.timestamp is None else read_timestamp(fields[at.timestamp])
        # Nothing can fail from here on: a row is added to every column or to none.
        self.user.append(self.users.setdefault(user, len(self.users)))
        self.item.append(self.items.setdefault(item, len(self.items)))
        self.rating.append(rating)
        self.timestamp.append(timestamp)

    def _rating(self, text: str) -> float:
        if text not in self.known:
            self.known[text] = read_rating(text, self.layout.scale)
        return self.known[text]

    def _fault(self, line: int, error: InvalidValueError) -> DataError:
        cure = remedy("line", error.declaration)
        if line == 1 and not self.layout.header:
            cure = f"declare header=true if this line names the columns; else {cure}"
        return DataError(error.problem, where=f"{self.path}:{line}", allowed=error.allowed, remedy=cure)

    def rows(self) -> Rows:
        """Return what was collected."""
        lines = self.line
        return Rows(
            source=str(self.path),
            user_names=list(self.users),
            item_names=list(self.items),
            user=np.array(self.user, dtype=np.int32),
            item=np.array(self.item, dtype=np.int32),
            rating=None if self.at.rating is None else np.array(self.rating, dtype=np.float64),
            timestamp=None if self.at.timestamp is None else np.array(self.timestamp, dtype=np.int64),
            place=lambda row: f"{self.path}:{lines[row]}",
            n_invalid=self.n_invalid,
        )
