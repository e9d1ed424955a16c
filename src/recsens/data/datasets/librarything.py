"""Ratings of books by users of LibraryThing."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from recsens.data.datasets._assemble import Duplicates, assemble, kind_of_ratings
from recsens.data.datasets._base import DataSet, Loaded, RawFile
from recsens.data.datasets._json_lines import parse_or_none
from recsens.errors import DataError
from recsens.files import Invalid, read_rows
from recsens.files.scale import Scale
from recsens.files.text import lines
from recsens.files.text_reader import Record
from recsens.seeds import Stream

Release = Literal["tags", "reviews"]
"""tags: one row for each tag that a user gave a book. reviews: one row per review."""

_HALF_STARS = Scale(0.5, 5.0, 0.5)
_DOUBLED = Scale(1.0, 10.0, 1.0)
_TAGGED = re.compile(r"(\S+)\s+(\S+)\s+(\S+)(?:\s.*)?")
_REVIEW = re.compile(r"reviews\[.*?\] = (?=\{'|\{\")")


class LibraryThing(DataSet):
    """Ratings of books by users of LibraryThing, from half a star to five.

    ``release=tags`` reads ``UI2.txt``, which has 749,401 ratings of 37,232 books by 7,279 users. A line contains the user, the
    book, the doubled rating and a tag, separated by blanks or tabs. Each tag has its own line, so most ratings are repeated.
    ``release=reviews`` reads ``reviews.txt``. Each line is a review such as ``reviews[(user, book)] = {...}``, a Python dictionary,
    which is parsed as data and never executed. Times are in seconds since 1970. Reviews without stars are left out; the report
    prints their number.
    """

    source = "tags: Clements, de Vries & Reinders (2008 to 2010); reviews: Zhao, McAuley & King (2015)"
    rating_scale: ClassVar[Scale] = _HALF_STARS

    release: Release = Field("tags", description="which form of the data")
    path: str | None = Field(None, description="your copy: the file or its folder; null: search RECSENS_DATA and data")
    duplicates: Duplicates = "max"
    invalid: Invalid = Field("error", description="how to treat a row with missing or invalid fields: error, or skip and count")

    @property
    def has_timestamps(self) -> bool:
        """Whether ratings have time stamps."""
        return self.release == "reviews"

    def raw_files(self) -> tuple[RawFile, ...]:
        """List the file."""
        if self.release == "tags":
            return (RawFile(name="UI2.txt", folder="librarything", path=self.path, terms="http://www.macle.nl/tud/LT"),)
        page = "https://cseweb.ucsd.edu/~jmcauley/datasets.html"
        return (RawFile(name="reviews.txt", folder="lthing_data", path=self.path, terms=page),)

    def load(self, files: Sequence[Path], stream: Stream) -> Loaded:
        """Read the ratings."""
        if self.release == "tags":
            rows = read_rows(files[0], _tagged_rows(files[0]), kind_of_ratings(_DOUBLED, with_times=False), self.invalid)
            return assemble(replace(rows, columns={**rows.columns, "rating": rows.value / 2}), _HALF_STARS, self.duplicates)
        reviews = _Reviews(files[0])
        rows = read_rows(files[0], reviews.rated(), kind_of_ratings(_HALF_STARS, with_times=True), self.invalid)
        loaded = assemble(rows, _HALF_STARS, self.duplicates)
        return replace(loaded, notes={**loaded.notes, **({"unrated_reviews": reviews.n_unrated} if reviews.n_unrated else {})})


def _tagged_rows(path: Path) -> Iterator[Record]:
    for number, line in enumerate(lines(path, "utf-8"), start=1):
        if text := line.strip():
            found = _TAGGED.fullmatch(text)
            yield number, list(found.groups()) if found else ["", "", ""], 1


@dataclass
class _Reviews:
    """The reviews in a file. Reviews without stars are counted while reading."""

    path: Path
    n_unrated: int = 0

    def rated(self) -> Iterator[Record]:
        """Yield the reviews with stars."""
        for number, line in enumerate(lines(self.path, "utf-8"), start=1):
            text = line.strip()
            if not text or text == "reviews = {}":
                continue
            review = _parse_review(text, f"{self.path}:{number}")
            if "stars" not in review:
                self.n_unrated += 1
                continue
            yield number, [str(review.get(key, "")) for key in ("user", "work", "stars", "unixtime")], 1


def _parse_review(text: str, where: str) -> dict[str, object]:
    """Parse a line's dictionary as a literal; nothing in it is executed."""
    start = _REVIEW.match(text)
    found = parse_or_none(text[start.end() :], ast.literal_eval) if start else None
    if not isinstance(found, dict):
        problem = "the line is not a review"
        raise DataError(
            problem, where=where, allowed="reviews[('user', 'book')] = {'stars': 4.0, ...}", remedy="download the file again"
        )
    return found
