"""The side tables of MovieLens, which describe users and films."""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from recsens.errors import DataError
from recsens.files.text import lines

_GENRES = (
    "unknown",
    "Action",
    "Adventure",
    "Animation",
    "Children's",
    "Comedy",
    "Crime",
    "Documentary",
    "Drama",
    "Fantasy",
    "Film-Noir",
    "Horror",
    "Musical",
    "Mystery",
    "Romance",
    "Sci-Fi",
    "Thriller",
    "War",
    "Western",
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


def align(table: SideFile, path: Path, ids: Sequence[str]) -> Mapping[str, Sequence[Any]]:
    """Read a side table's columns in the order of the ids; an id without a row gets None in every column.

    Raises DataError if a line does not have the publisher's columns.
    """
    known = dict(_entries(table, path))
    nothing = (None,) * len(table.columns)
    rows = [known.get(name, nothing) for name in ids]
    return {column: [row[index] for row in rows] for index, column in enumerate(table.columns)}


def _entries(table: SideFile, path: Path) -> Iterator[tuple[str, tuple[Any, ...]]]:
    for line, fields in _lines(table, path):
        try:
            if len(fields) != table.n_fields:
                raise ValueError(f"{len(fields)} fields")  # noqa: TRY301 - handled like a field that is not a number
            yield fields[0], table.values(fields)
        except ValueError as error:
            raise _fault(table, path, line, error) from error


def _fault(table: SideFile, path: Path, line: int, error: Exception) -> DataError:
    return DataError(
        f"this line does not have the publisher's layout of {path.name}: {error}",
        where=f"{path}:{line}",
        allowed=f"{table.n_fields} fields separated by {table.separator!r}",
        remedy="download the file again, or remove it: the ratings can be read without it",
    )


def _lines(table: SideFile, path: Path) -> Iterator[tuple[int, list[str]]]:
    encoding = _encoding(table, path)
    if table.separator == ",":
        reader = csv.reader(lines(path, encoding))
        try:
            for fields in reader:
                if reader.line_num > table.header and fields:
                    yield reader.line_num, fields
        except csv.Error as error:
            raise _fault(table, path, reader.line_num, error) from error
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


def _person_100k(fields: list[str]) -> tuple[Any, ...]:
    return _whole(fields[1]), fields[2], fields[3]


def _person_1m(fields: list[str]) -> tuple[Any, ...]:
    return _whole(fields[2]), fields[1], fields[3]


def _film_100k(fields: list[str]) -> tuple[Any, ...]:
    flags = fields[-len(_GENRES) :]
    return fields[1], [genre for genre, flag in zip(_GENRES, flags, strict=True) if _whole(flag)]


def _film(fields: list[str]) -> tuple[Any, ...]:
    return fields[1], [] if fields[2] == _NO_GENRES else fields[2].split("|")


_PERSON = ("age", "gender", "occupation")
_FILM = ("title", "genres")

SIDE_TABLES: Mapping[str, SideFile] = {
    "u.user": SideFile("user", _PERSON, "|", 5, ("utf-8", "latin-1"), _person_100k),
    "u.item": SideFile("item", _FILM, "|", 24, ("utf-8", "latin-1"), _film_100k),
    "users.dat": SideFile("user", _PERSON, "::", 5, ("utf-8", "latin-1"), _person_1m),
    "movies.dat": SideFile("item", _FILM, "::", 3, ("utf-8", "latin-1"), _film),
    "movies.csv": SideFile("item", _FILM, ",", 3, ("utf-8",), _film, header=True),
}
"""File name -> its layout. Age is in years (100k) or the lowest age of a bracket (1m); occupation is a word (100k) or a code
(1m)."""
