"""Ratings of books by members of Book-Crossing."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from recsens.data.datasets._assemble import Duplicates, assemble, kind_of_ratings
from recsens.data.datasets._base import DataSet, Loaded, RawFile
from recsens.errors import DataError
from recsens.files import Invalid, read_rows
from recsens.files.scale import Scale
from recsens.files.text import lines
from recsens.files.text_reader import Record
from recsens.seeds import Stream

_HEADER = '"User-ID";"ISBN";"Book-Rating"'
# Some ISBNs contain double quotes that are neither doubled nor consistently escaped, so only the separators are reliable.
_ROW = re.compile(r'"([^"]*)";"(.*)";"([^"]*)"')
_TEN = Scale(1.0, 10.0, 1.0)
_ZERO_TO_TEN = Scale(0.0, 10.0, 1.0)
_IMPLICIT = "0"


class BookCrossing(DataSet):
    """Ratings of books from 1 to 10 by members of Book-Crossing: 1,149,780 rows, 105,283 users and 340,556 books.

    The file is ``BX-Book-Ratings.csv``, in Latin-1. Below a header, each line contains user, ISBN and rating, each in double
    quotes, with semicolons between them, as in ``"276729";"052165615X";"3"``. ISBNs are kept as written: each edition is a separate
    book. There are no time stamps.

    716,109 rows have a rating of 0. A 0 is not the lowest rating: it marks a book that the member has but did not rate.
    ``feedback=explicit`` leaves these rows out, and the report prints their number as ``implicit_rows``; ``feedback=implicit``
    keeps all rows as positives without ratings.
    """

    source = "Ziegler, McNee, Konstan & Lausen (2005), Improving Recommendation Lists Through Topic Diversification"
    has_timestamps: ClassVar[bool] = False

    path: str | None = Field(
        None, description="your copy: the file, or the folder of BX-Book-Ratings.csv; null: search RECSENS_DATA and data"
    )
    feedback: Literal["explicit", "implicit"] = Field(
        "explicit", description="read only the ratings from 1 to 10, or all rows as positives without ratings"
    )
    duplicates: Duplicates = "error"
    invalid: Invalid = Field("error", description="how to treat a row with missing or invalid fields: error, or skip and count")

    @property
    def rating_scale(self) -> Scale | None:
        """1 to 10; None for implicit feedback."""
        return _TEN if self.feedback == "explicit" else None

    def raw_files(self) -> tuple[RawFile, ...]:
        """List the file."""
        page = "http://www2.informatik.uni-freiburg.de/~cziegler/BX"
        return (RawFile(name="BX-Book-Ratings.csv", folder="book-crossing", path=self.path, terms=page),)

    def load(self, files: Sequence[Path], stream: Stream) -> Loaded:
        """Read the ratings."""
        if self.feedback == "implicit":
            rows = read_rows(files[0], _read_rows(files[0]), kind_of_ratings(_ZERO_TO_TEN, with_times=False), self.invalid)
            return replace(assemble(rows, _TEN, self.duplicates), rating=None)
        n_implicit = 0

        def explicit() -> Iterator[Record]:
            nonlocal n_implicit
            for number, fields, n_lines in _read_rows(files[0]):
                if fields[-1] == _IMPLICIT:
                    n_implicit += 1
                else:
                    yield number, fields, n_lines

        rows = read_rows(files[0], explicit(), kind_of_ratings(_TEN, with_times=False), self.invalid)
        loaded = assemble(rows, _TEN, self.duplicates)
        return replace(loaded, notes={**loaded.notes, **({"implicit_rows": n_implicit} if n_implicit else {})})


def _read_rows(path: Path) -> Iterator[Record]:
    """Yield the rows below the header; a malformed line gives empty fields.

    Raises DataError if the first line is not the file's usual header.
    """
    for number, line in enumerate(lines(path, "latin-1"), start=1):
        text = line.rstrip("\r\n")
        if number == 1:
            _refuse_unless_header(text, path)
        elif text:
            found = _ROW.fullmatch(text)
            yield number, list(found.groups()) if found else ["", "", ""], 1


def _refuse_unless_header(text: str, path: Path) -> None:
    if text != _HEADER:
        raise DataError(
            f"the first line '{text[:60]}' is not the header of Book-Crossing's ratings",
            where=f"{path}:1",
            allowed=_HEADER,
            remedy='download the file again; delimited(path=...,separator=",",header=true,...) reads a comma-separated copy',
        )
