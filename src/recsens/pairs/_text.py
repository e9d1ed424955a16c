"""Text files, plain or gzipped: CSV and TSV with a header, and TREC's runs and qrels."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
from numpy.typing import NDArray

from recsens.errors import DataError
from recsens.pairs._rows import RUN, Layout, Names, Rows, check_columns, checked, numbers

_GZIP = b"\x1f\x8b"
_MARK = b"\xef\xbb\xbf"
_NUMBER = re.compile(r"-?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_UNREADABLE = (pa.ArrowException, UnicodeDecodeError, OSError, EOFError, zlib.error, csv.Error)
"""What a text in another encoding, a damaged archive or a line without its fields may raise."""

_SPACE = ord(" ")

_PIECE = 1 << 23
"""Bytes that are read and parsed at a time."""


@dataclass(frozen=True)
class _Lines(ABC):
    """The lines of one file, as text. Looked at one by one only to say where something is wrong."""

    path: Path
    layout: Layout
    columns: Sequence[str]

    n_header = 0

    @abstractmethod
    def fields(self, line: str) -> list[str]:
        """Split a line; an empty one has no fields."""

    def rows(self) -> Generator[tuple[int, list[str]]]:
        """Visit the number and the fields of every line that is not empty, after the header."""
        with io.TextIOWrapper(_open(self.path), encoding="utf-8-sig", newline="\n") as text:
            for number, line in enumerate(text, start=1):
                fields = self.fields(line.rstrip("\r\n"))
                if fields and number > self.n_header:
                    yield number, fields

    def place(self, row: int) -> str:
        """Say where a row stands."""
        with closing(self.rows()) as rows:
            return f"{self.path}:{next(number for place, (number, _) in enumerate(rows) if place == row)}"

    def fault(self) -> DataError | None:
        """Find the first line that has not all its fields, or no number where the value should be."""
        with closing(self.rows()) as rows:
            return next((fault for number, fields in rows if (fault := self._fault(f"{self.path}:{number}", fields))), None)

    def _fault(self, place: str, fields: list[str]) -> DataError | None:
        if len(fields) != len(self.columns):
            allowed = f"{len(self.columns)} fields: {', '.join(self.columns)}"
            return DataError(f"the line has {len(fields)} field{'s'[: len(fields) != 1]}", where=place, allowed=allowed)
        text = fields[self.columns.index(self.layout.value)]
        return None if _NUMBER.fullmatch(text) else self.layout.not_a_value(text, place)

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turn what a swift reader stumbles over into an error that names the line."""
        try:
            try:
                yield
            except pa.ArrowException:
                fault = self.fault()
                if fault is not None:
                    raise fault from None
                raise
        except _UNREADABLE as error:
            raise DataError(
                f"cannot be read: {error}", where=str(self.path), allowed="UTF-8 text, plain or gzipped", remedy="write it again"
            ) from error


@dataclass(frozen=True)
class _Csv(_Lines):
    delimiter: str

    n_header = 1

    def fields(self, line: str) -> list[str]:
        return next(csv.reader([line], delimiter=self.delimiter), [])


class _Trec(_Lines):
    def fields(self, line: str) -> list[str]:
        fields = line.split()
        spaced = " ".join(fields).encode("utf-8")
        return [] if _is_comment(spaced, self.layout) else _only_fields(spaced, self.layout).decode("utf-8").split()

    def refuse_rows_like_comments(self, users: Names) -> None:
        """Refuse a row whose user starts with the mark of a comment: nobody can tell which of the two it is.

        Raises
        ------
        DataError
            If there is one, with its line.
        """
        marked = [code for code, name in enumerate(users.names) if name.startswith("#")]
        if marked:
            row = int(np.argmax(users.code == marked[0]))
            raise DataError(
                f"the line starts with #, as a comment does, and has the fields of a row, of user '{users.names[marked[0]]}'",
                where=self.place(row),
                remedy="leave a comment out, or put a space behind the #; with users of such names, write CSV",
            )


def read_csv(path: Path, layout: Layout = RUN) -> Rows:
    """Read a CSV file whose first line names the columns of a layout, in any order.

    Raises
    ------
    DataError
        If it is not such a file, with the line.
    """
    return _read_delimited(path, layout, ",")


def read_tsv(path: Path, layout: Layout = RUN) -> Rows:
    """Read a file as `read_csv` does, its fields parted by tabs.

    Raises
    ------
    DataError
        If it is not such a file, with the line.
    """
    return _read_delimited(path, layout, "\t")


def _read_delimited(path: Path, layout: Layout, delimiter: str) -> Rows:
    lines = _Csv(path, layout, layout.columns, delimiter)
    with lines.explained():
        lines = _Csv(path, layout, lines.fields(first_line(path).rstrip("\r\n")), delimiter)
    check_columns(path, list(lines.columns), f"{path}:1", layout)
    with lines.explained(), _open(path) as file:
        table = pa_csv.read_csv(
            file,
            read_options=pa_csv.ReadOptions(column_names=list(lines.columns), skip_rows=1, use_threads=False, block_size=_PIECE),
            parse_options=pa_csv.ParseOptions(delimiter=delimiter),
            convert_options=_conversion(layout),
        )
    return _rows(path, table, numbers(table.column(layout.value)), lines)


def read_trec(path: Path, layout: Layout = RUN) -> Rows:
    """Read a TREC run, with the fields user, Q0, item, rank, score and tag, or qrels: user, 0, item and rating.

    Fields are parted by spaces or tabs. As trec_eval does since version 10, lines that start with # are passed over, and so is what
    follows the tag of a run. Of a run the layout reads the score or the rank; the other may say anything.

    Raises
    ------
    DataError
        If it is not such a file, with the line.
    """
    lines = _Trec(path, layout, layout.trec)
    table = _trec_columns(lines)
    rows = _rows(path, table, numbers(table.column(layout.value)), lines)
    lines.refuse_rows_like_comments(rows.user)
    return rows


def first_line(path: Path) -> str:
    """Return the first line of a text file, plain or gzipped.

    Raises
    ------
    DataError
        If it cannot be read as text.
    """
    with _Trec(path, RUN, ()).explained(), _open(path) as file:
        return file.readline().decode("utf-8-sig")


def first_below_comments(path: Path) -> str:
    """Return the first line of a text file, plain or gzipped, that does not start with #; none if there is none.

    Raises
    ------
    DataError
        If it cannot be read as text.
    """
    with _Trec(path, RUN, ()).explained(), io.TextIOWrapper(_open(path), encoding="utf-8-sig", newline="\n") as lines:
        return next((line for line in lines if not line.startswith("#")), "")


def _trec_columns(lines: _Lines) -> pa.Table:
    with lines.explained(), _open(lines.path) as file:
        return pa_csv.read_csv(
            _SingleSpaced(file, lines.layout),
            read_options=pa_csv.ReadOptions(column_names=list(lines.columns), use_threads=False, block_size=_PIECE),
            parse_options=pa_csv.ParseOptions(delimiter=" ", quote_char=False),
            convert_options=_conversion(lines.layout),
        )


def _rows(path: Path, table: pa.Table, value: NDArray[np.float64], lines: _Lines) -> Rows:
    rows = Rows(Names.of(table.column("user")), Names.of(table.column("item")), value, lines.place)
    return checked(str(path), rows, lines.layout)


def _conversion(layout: Layout) -> pa_csv.ConvertOptions:
    """Keep each name once and as it is, 007 or NA, and read values as numbers; nothing is null."""
    types: dict[str, pa.DataType] = dict.fromkeys(layout.columns[:2], pa.dictionary(pa.int32(), pa.string()))
    types[layout.value] = pa.float64()
    return pa_csv.ConvertOptions(
        include_columns=list(types),
        column_types=types,
        null_values=[],
        strings_can_be_null=False,
        quoted_strings_can_be_null=False,
    )


class _SingleSpaced(io.RawIOBase):
    """A text with one space between two fields and none at the ends of lines, as a swift reader wants it.

    Empty lines, comments and what follows the tag of a run are left out.
    """

    def __init__(self, file: IO[bytes], layout: Layout) -> None:
        super().__init__()
        self._file = file
        self._layout = layout
        self._piece = memoryview(b"")
        self._is_first = True

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        while not self._piece:
            # Whole lines, so that what stands at their ends is seen.
            text = self._file.read(_PIECE)
            if not text and not self._is_first:
                return b""
            text += self._file.readline()
            if self._is_first:
                # An empty file becomes an empty line, which the swift reader takes for no rows.
                text, self._is_first = text.removeprefix(_MARK), False
            rows = _only_fields(_without_comments(_single_spaced(text), self._layout), self._layout)
            # Nothing but comments is an empty line, too.
            self._piece = memoryview(rows or b"\n")
        taken = bytes(self._piece[: size if size >= 0 else None])
        self._piece = self._piece[len(taken) :]
        return taken


def _single_spaced(text: bytes) -> bytes:
    if _is_single_spaced(text):
        return text
    text = text.translate(bytes.maketrans(b"\t\r", b"  "))
    while b"  " in text:
        text = text.replace(b"  ", b" ")
    text = text.replace(b" \n", b"\n").replace(b"\n ", b"\n")
    while b"\n\n" in text:
        text = text.replace(b"\n\n", b"\n")
    return text.strip(b" \n") + b"\n"


def _without_comments(text: bytes, layout: Layout) -> bytes:
    """Leave out the lines that are comments; blanks at the ends of lines are mended already."""
    if not text.startswith(b"#") and b"\n#" not in text:
        return text
    return b"".join(line for line in text.splitlines(keepends=True) if not _is_comment(line, layout))


def _is_comment(line: bytes, layout: Layout) -> bool:
    """Say whether a line starts with # and is no row, which has a name behind it, just the fields of a row and a number."""
    if not line.startswith(b"#"):
        return False
    fields = line.split()
    at = layout.trec.index(layout.value)
    is_row = len(fields) == len(layout.trec) and _NUMBER.fullmatch(fields[at].decode("utf-8", "replace")) is not None
    return not is_row or not fields[0].strip(b"#")


def _only_fields(text: bytes, layout: Layout) -> bytes:
    """Leave out what follows the tag of a run.

    Nothing is left out of a line whose rank is no whole number or whose tag is a number: a name with a blank in it has moved its
    fields on, and the line is refused for having too many.
    """
    if layout != RUN or text.count(b" ") <= (len(RUN.trec) - 1) * max(text.count(b"\n"), 1):
        return text
    return _BEYOND_TAG.sub(rb"\1", text)


_BEYOND_TAG = re.compile(rb"(?m)^((?:[^ \n]+ ){3}\d+ [^ \n]+ (?!%b )[^ \n]+) [^\n]*" % _NUMBER.pattern.encode())


def _is_single_spaced(text: bytes) -> bool:
    """Say whether no two blanks meet, at ends of lines either: most files need no mending, and this is the quickest look."""
    is_blank = np.frombuffer(text, dtype=np.uint8) <= _SPACE
    return not (
        (is_blank[1:] & is_blank[:-1]).any() or is_blank[:1].any() or not text.endswith(b"\n") or b"\t" in text or b"\r" in text
    )


def _open(path: Path) -> IO[bytes]:
    with path.open("rb") as file:
        is_gzipped = file.read(2) == _GZIP
    return gzip.open(path) if is_gzipped else path.open("rb")  # type: ignore[return-value]
