"""Scores in text files, plain or gzipped: CSV with a header, and TREC runs."""

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
from recsens.recommenders._runs import COLUMNS, Names, Run, check_columns, checked, not_a_score

_GZIP = b"\x1f\x8b"
_MARK = b"\xef\xbb\xbf"
_NUMBER = re.compile(r"-?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_UNREADABLE = (pa.ArrowException, UnicodeDecodeError, OSError, EOFError, zlib.error, csv.Error)
"""What a text in another encoding, a damaged archive or a line without its fields may raise."""


@dataclass(frozen=True)
class _Lines(ABC):
    """The lines of one file, as text. Looked at one by one only to say where something is wrong."""

    path: Path
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
        """Find the first line that has not all its fields, or no number where the score should be."""
        with closing(self.rows()) as rows:
            return next((fault for number, fields in rows if (fault := self._fault(f"{self.path}:{number}", fields))), None)

    def _fault(self, place: str, fields: list[str]) -> DataError | None:
        if len(fields) != len(self.columns):
            allowed = f"{len(self.columns)} fields: {', '.join(self.columns)}"
            return DataError(f"the line has {len(fields)} field{'s'[: len(fields) != 1]}", where=place, allowed=allowed)
        text = fields[self.columns.index("score")]
        return None if _NUMBER.fullmatch(text) else not_a_score(text, place)

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


class _Csv(_Lines):
    n_header = 1

    def fields(self, line: str) -> list[str]:
        return next(csv.reader([line]), [])


class _Trec(_Lines):
    def fields(self, line: str) -> list[str]:
        return line.split()


def read_csv(path: Path) -> Run:
    """Read a CSV file whose first line names the columns user, item and score, in any order.

    Raises
    ------
    DataError
        If it is not such a file, with the line.
    """
    lines = _Csv(path, COLUMNS)
    with lines.explained():
        with _open(path) as file:
            first = file.readline().decode("utf-8-sig")
        lines = _Csv(path, lines.fields(first.rstrip("\r\n")))
    check_columns(path, list(lines.columns), f"{path}:1")
    with lines.explained(), _open(path) as file:
        table = pa_csv.read_csv(
            file,
            read_options=pa_csv.ReadOptions(column_names=list(lines.columns), skip_rows=1, use_threads=False),
            convert_options=_conversion({"user", "item"}),
        )
    return _run(path, table, table.column("score").to_numpy(), lines)


def read_trec(path: Path) -> Run:
    """Read a TREC run: user, Q0, item, rank, score and tag, parted by spaces or tabs.

    The score decides, not the rank, nor the order of the lines. Where all lines have the same score, or all have nan, it says
    nothing, and minus the rank is the score.

    Raises
    ------
    DataError
        If it is not such a file, with the line.
    """
    lines = _Trec(path, ("user", "Q0", "item", "rank", "score", "tag"))
    with lines.explained():
        table = pa_csv.read_csv(
            pa.BufferReader(_single_spaced(path)),
            read_options=pa_csv.ReadOptions(column_names=list(lines.columns), use_threads=False),
            parse_options=pa_csv.ParseOptions(delimiter=" ", quote_char=False),
            convert_options=_conversion({"user", "item", "rank"}),
        )
    score = table.column("score").to_numpy()
    says_nothing = len(score) > 1 and (np.isnan(score).all() or (score == score[0]).all())
    return _run(path, table, _from_ranks(table, lines) if says_nothing else score, lines)


def _run(path: Path, table: pa.Table, score: NDArray[np.float64], lines: _Lines) -> Run:
    return checked(path, Run(Names.of(table.column("user")), Names.of(table.column("item")), score, lines.place))


def _from_ranks(table: pa.Table, lines: _Lines) -> NDArray[np.float64]:
    ranks = Names.of(table.column("rank"))
    for code, text in enumerate(ranks.names):
        if not _NUMBER.fullmatch(text):
            row = int(np.flatnonzero(ranks.code == code)[0])
            raise DataError(
                f"the rank is '{text}'", where=lines.place(row), allowed="a number, where the scores of all lines are equal"
            )
    return -np.array([float(text) for text in ranks.names])[ranks.code]


def _conversion(names: set[str]) -> pa_csv.ConvertOptions:
    """Keep each name once and as it is, 007 or NA, and read scores as numbers; nothing is null."""
    types: dict[str, pa.DataType] = dict.fromkeys(sorted(names), pa.dictionary(pa.int32(), pa.string()))
    return pa_csv.ConvertOptions(
        include_columns=[*types, "score"],
        column_types={**types, "score": pa.float64()},
        null_values=[],
        strings_can_be_null=False,
        quoted_strings_can_be_null=False,
    )


def _single_spaced(path: Path) -> bytes:
    """Return a file's text with one space between two fields and none at the ends of lines, as a swift reader wants it."""
    with _open(path) as file:
        text = file.read()
    text = text.removeprefix(_MARK).translate(bytes.maketrans(b"\t\r", b"  "))
    while b"  " in text:
        text = text.replace(b"  ", b" ")
    return text.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" \n") + b"\n"


def _open(path: Path) -> IO[bytes]:
    with path.open("rb") as file:
        is_gzipped = file.read(2) == _GZIP
    return gzip.open(path) if is_gzipped else path.open("rb")  # type: ignore[return-value]
