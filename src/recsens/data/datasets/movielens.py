"""The MovieLens data sets of GroupLens."""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from recsens.data.datasets._assemble import Duplicates, assemble, kind_of_ratings
from recsens.data.datasets._base import DataSet, Described, Loaded, RawFile
from recsens.data.interactions import NAMING
from recsens.errors import DataError
from recsens.files import Invalid, Layout, read_text
from recsens.files.scale import Scale
from recsens.files.text import lines
from recsens.seeds import Stream

_GENRES = (
    *("unknown", "Action", "Adventure", "Animation", "Children's", "Comedy", "Crime", "Documentary", "Drama", "Fantasy"),
    *("Film-Noir", "Horror", "Musical", "Mystery", "Romance", "Sci-Fi", "Thriller", "War", "Western"),
)
"""The columns of flags at the end of a line of u.item, in order."""

_DIGITS = 9

_NO_GENRES = "(no genres listed)"


@dataclass(frozen=True, slots=True)
class SideFile:
    """The layout of a side table: whether it describes users or films, its columns, and the fields that follow the id."""

    of: Literal["user", "item"]
    columns: tuple[str, ...]
    separator: str
    n_fields: int
    encodings: tuple[str, ...]
    values: Callable[[list[str]], tuple[Any, ...]]
    header: bool = False


def align_side_table(table: SideFile, path: Path, ids: Sequence[str]) -> Mapping[str, Sequence[Any]]:
    """Read a side table's columns in the order of the ids; an id without a row gets None in every column.

    Raises DataError if a line does not have the publisher's columns.
    """
    known = dict(_table_entries(table, path))
    nothing = (None,) * len(table.columns)
    rows = [known.get(name, nothing) for name in ids]
    return {column: [row[index] for row in rows] for index, column in enumerate(table.columns)}


def _table_entries(table: SideFile, path: Path) -> Iterator[tuple[str, tuple[Any, ...]]]:
    for line, fields in _table_lines(table, path):
        try:
            if len(fields) != table.n_fields:
                raise ValueError(f"{len(fields)} fields")  # noqa: TRY301 - handled like a field that is not a number
            yield fields[0], table.values(fields)
        except ValueError as error:
            raise _layout_error(table, path, line, error) from error


def _layout_error(table: SideFile, path: Path, line: int, error: Exception) -> DataError:
    return DataError(
        f"this line does not have the publisher's layout of {path.name}: {error}",
        where=f"{path}:{line}",
        allowed=f"{table.n_fields} fields separated by {table.separator!r}",
        remedy="download the file again, or remove it: the ratings can be read without it",
    )


def _table_lines(table: SideFile, path: Path) -> Iterator[tuple[int, list[str]]]:
    encoding = _encoding(table, path)
    if table.separator == ",":
        reader = csv.reader(lines(path, encoding))
        try:
            for fields in reader:
                if reader.line_num > table.header and fields:
                    yield reader.line_num, fields
        except csv.Error as error:
            raise _layout_error(table, path, reader.line_num, error) from error
    else:
        for line, text in enumerate(lines(path, encoding), start=1):
            if text.strip():
                yield line, text.rstrip("\r\n").split(table.separator)


def _encoding(table: SideFile, path: Path) -> str:
    # Copies of the same release exist in both encodings. Latin-1 accepts any byte, so it comes last.
    for encoding in table.encodings[:-1]:
        try:
            path.read_bytes().decode(encoding)
        except UnicodeDecodeError:
            continue
        except OSError:
            break
        return encoding
    return table.encodings[-1]


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= _DIGITS):
        raise ValueError(f"'{text[:40]}' is not a whole number of up to {_DIGITS} digits")
    return int(text)


def _parse_film(fields: list[str]) -> tuple[Any, ...]:
    return fields[1], [] if fields[2] == _NO_GENRES else fields[2].split("|")


def _parse_film_100k(fields: list[str]) -> tuple[Any, ...]:
    return fields[1], [genre for genre, flag in zip(_GENRES, fields[-len(_GENRES) :], strict=True) if _whole(flag)]


_PERSON = ("age", "gender", "occupation")
_FILM = ("title", "genres")

SIDE_TABLES: Mapping[str, SideFile] = {
    "u.user": SideFile("user", _PERSON, "|", 5, ("utf-8", "latin-1"), lambda fields: (_whole(fields[1]), fields[2], fields[3])),
    "u.item": SideFile("item", _FILM, "|", 24, ("utf-8", "latin-1"), _parse_film_100k),
    "users.dat": SideFile("user", _PERSON, "::", 5, ("utf-8", "latin-1"), lambda fields: (_whole(fields[2]), fields[1], fields[3])),
    "movies.dat": SideFile("item", _FILM, "::", 3, ("utf-8", "latin-1"), _parse_film),
    "movies.csv": SideFile("item", _FILM, ",", 3, ("utf-8",), _parse_film, header=True),
}
"""File name -> its layout. Age is in years (100k) or the lowest age of a bracket (1m); occupation is a word (100k) or a code
(1m)."""


Release = Literal["100k", "1m", "10m", "20m", "25m", "32m", "latest-small"]
"""A release of MovieLens; all releases are fixed except latest-small."""

_ADDRESS = "https://files.grouplens.org/datasets/movielens"
_STARS = Scale(1.0, 5.0, 1.0)
_HALF_STARS = Scale(0.5, 5.0, 0.5)


@dataclass(frozen=True, slots=True)
class _Release:
    """A release: its number of users, and its archive's SHA-256, folder, files, separator and rating scale."""

    users: int
    sha256: str
    inside: str
    ratings: str
    tables: tuple[str, ...]
    separator: str
    scale: Scale
    readme: str = "README.html"

    @property
    def layout(self) -> Layout:
        is_csv = self.separator == ","
        return Layout(self.separator, {"user": 0, "item": 1, "rating": 2, "timestamp": 3}, header=is_csv)


def _csv_release(users: int, sha256: str, inside: str) -> _Release:
    return _Release(users, sha256, inside, "ratings.csv", ("movies.csv",), ",", _HALF_STARS)


_RELEASES: dict[Release, _Release] = {
    "100k": _Release(
        943,
        "50d2a982c66986937beb9ffb3aa76efe955bf3d5c6b761f4e3a7cd717c6a3229",
        "ml-100k",
        "u.data",
        ("u.user", "u.item"),
        "\t",
        _STARS,
        "README.txt",
    ),
    "1m": _Release(
        6_040,
        "a6898adb50b9ca05aa231689da44c217cb524e7ebd39d264c56e2832f2c54e20",
        "ml-1m",
        "ratings.dat",
        ("users.dat", "movies.dat"),
        "::",
        _STARS,
        "README.txt",
    ),
    "10m": _Release(
        69_878,
        "813c411ccb6122564edfe752e7f80c4dcc5aa25fa94c93622f6877a7ba252862",
        "ml-10M100K",
        "ratings.dat",
        ("movies.dat",),
        "::",
        _HALF_STARS,
    ),
    "20m": _csv_release(138_493, "96f243c338a8665f6bcc89c53edf6ee39162a846940de6b7c8c48aeada765ff3", "ml-20m"),
    "25m": _csv_release(162_541, "8b21cfb7eb1706b4ec0aac894368d90acf26ebdfb6aced3ebd4ad5bd1eb9c6aa", "ml-25m"),
    "32m": _csv_release(200_948, "e4a68655d7386b8f95f2f2424b2ff975dfdd15ffd59e0d864a14dca43e99d6ee", "ml-32m"),
    "latest-small": _csv_release(610, "696d65a3dfceac7c45750ad32df2c259311949efec81f0f144fdfb91ebc9e436", "ml-latest-small"),
}


class MovieLens(DataSet):
    """Ratings of films by users of MovieLens, as GroupLens publishes them.

    ============  ===========  =======  =======  ========================  ==================
    release       ratings      users    films    scale                     file
    ============  ===========  =======  =======  ========================  ==================
    100k              100,000      943    1,682  1 to 5 in steps of 1      u.data
    1m              1,000,209    6,040    3,706  1 to 5 in steps of 1      ratings.dat
    10m            10,000,054   69,878   10,677  0.5 to 5 in steps of 0.5  ratings.dat
    20m            20,000,263  138,493   26,744  0.5 to 5 in steps of 0.5  ratings.csv
    25m            25,000,095  162,541   59,047  0.5 to 5 in steps of 0.5  ratings.csv
    32m            32,000,204  200,948   84,432  0.5 to 5 in steps of 0.5  ratings.csv
    latest-small      100,836      610    9,724  0.5 to 5 in steps of 0.5  ratings.csv
    ============  ===========  =======  =======  ========================  ==================

    The table counts only films with a rating. The side tables of users (100k, 1m) and films are read if present.
    """

    source = "Harper & Konstan (2015), The MovieLens Datasets: History and Context, doi:10.1145/2827872"

    synonyms: ClassVar[Mapping[str, str]] = dict.fromkeys(("version", "size", "variant", "name"), "release")
    site: ClassVar[str] = "MovieLens"
    has_timestamps: ClassVar[bool] = True

    release: Release = Field("100k", description="which release")
    path: str | None = Field(
        None,
        description="your copy: the file of ratings or its folder; null: search RECSENS_DATA and data, else download",
    )
    duplicates: Duplicates = "error"
    invalid: Invalid = Field(
        "error", description="how to treat a row that does not match the declaration: error, or skip and count"
    )

    @property
    def rating_scale(self) -> Scale:
        """The scale of the release."""
        return _RELEASES[self.release].scale

    @property
    def side_columns(self) -> Mapping[str, Sequence[str]]:
        """The columns of the release's tables, without titles."""
        tables = [SIDE_TABLES[name] for name in _RELEASES[self.release].tables]
        return {table.of: tuple(name for name in table.columns if name not in NAMING) for table in tables}

    @property
    def expected_users(self) -> int:
        """The release's number of users."""
        return _RELEASES[self.release].users

    @classmethod
    def meanings(cls) -> Mapping[str, str]:
        """Other names for releases, such as the names of their archives: ml-1m, movielens-1m."""
        return {f"{name}-{release}": f"movielens(release={release})" for release in _RELEASES for name in ("ml", "movielens")}

    def raw_files(self) -> tuple[RawFile, ...]:
        """List the file of ratings."""
        return (replace(self._member(_RELEASES[self.release].ratings), path=self.path),)

    def side_files(self) -> tuple[RawFile, ...]:
        """List the side tables."""
        return tuple(replace(self._member(name), optional=True) for name in _RELEASES[self.release].tables)

    def _member(self, name: str) -> RawFile:
        release = _RELEASES[self.release]
        return RawFile(
            name=name,
            folder=f"ml-{self.release}",
            url=f"{_ADDRESS}/ml-{self.release}.zip",
            archive_member=f"{release.inside}/{name}",
            sha256=release.sha256,
            terms=f"{_ADDRESS}/ml-{self.release}-{release.readme}",
        )

    def load(self, files: Sequence[Path], stream: Stream) -> Loaded:
        """Read the ratings."""
        kind, layout = kind_of_ratings(self.rating_scale, with_times=True), _RELEASES[self.release].layout
        return assemble(read_text(files[0], kind, layout, self.invalid), self.rating_scale, self.duplicates)

    def describe(self, files: Sequence[Path], user_ids: Sequence[str], item_ids: Sequence[str]) -> Described:
        """Read the side tables that are present."""
        ids = {"user": user_ids, "item": item_ids}
        columns = {(table := SIDE_TABLES[path.name]).of: align_side_table(table, path, ids[table.of]) for path in files}
        return Described(columns.get("user", {}), columns.get("item", {}))
