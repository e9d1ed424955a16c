"""Ratings of films by customers of Netflix: the data of the Netflix Prize."""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
from numpy.typing import NDArray
from pydantic import Field

from recsens.data.datasets._assemble import Duplicates, assemble
from recsens.data.datasets._base import DataSet, Loaded, RawFile
from recsens.errors import DataError
from recsens.files import FileTable, Names, parse_regular
from recsens.files.paths import is_file, is_folder
from recsens.files.scale import Scale
from recsens.files.text import blocks
from recsens.seeds import Stream

_STARS = Scale(1.0, 5.0, 1.0)
_DAY = 86_400
_COMBINED = tuple(f"combined_data_{part}.txt" for part in range(1, 5))
_OF_FILM = "mv_*.txt"
_HEADER = re.compile(rb"^([0-9]{1,9}):[ \t]*\r?$\n?", re.MULTILINE)
_RATING = re.compile(rb"([0-9]{1,9}),([1-5]),([0-9]{4}-[0-9]{2}-[0-9]{2})")
_COLUMNS = {"user": pa.int32(), "rating": pa.int8(), "day": pa.date32()}


class _Ratings(NamedTuple):
    """A block of ratings: user, film, stars and days since 1970, each of shape (n,)."""

    user: NDArray[np.int32]
    film: NDArray[np.int32]
    stars: NDArray[np.int8]
    day: NDArray[np.int32]


class Netflix(DataSet):
    """100,480,507 dated ratings of 17,770 films by 480,189 customers of Netflix, from 1 to 5 stars.

    The files are those of the prize's training set: either ``combined_data_1.txt`` to ``combined_data_4.txt``, or one file per
    film, ``mv_0000001.txt`` and so on. In both forms, a line such as ``1:`` names a film. Below it, each rating of this film has a
    line with customer, stars and date, as in ``1488844,3,2005-09-06``. A time stamp is the first second of the date (UTC), in
    seconds since 1970, so all ratings of a day are tied. If a folder has both forms, the combined files are read.
    """

    source = "Bennett & Lanning (2007), The Netflix Prize"
    folder: ClassVar[str] = "netflix"
    has_timestamps: ClassVar[bool] = True
    rating_scale: ClassVar[Scale] = _STARS
    expected_users: ClassVar[int] = 480_189

    path: str | None = Field(
        None,
        description="your copy: the folder of combined_data_*.txt or mv_*.txt, or one file; null: search RECSENS_DATA and data",
    )
    duplicates: Duplicates = "error"

    def raw_files(self) -> tuple[RawFile, ...]:
        """List the combined files, or the file in ``path``, or the per-film files if ``path`` is a folder."""
        terms = "https://www.kaggle.com/datasets/netflix-inc/netflix-prize-data"
        names: Sequence[str] = _COMBINED
        if self.path is not None:
            given = Path(self.path).expanduser()
            if is_file(given):
                names = (given.name,)
            elif is_folder(given) and not is_file(given / names[0]):
                names = sorted(file.name for file in given.glob(_OF_FILM)) or names
        return tuple(RawFile(name=name, folder=self.folder, path=self.path, terms=terms) for name in names)

    def load(self, files: Sequence[Path], stream: Stream) -> Loaded:
        """Read all files, one block of lines at a time."""
        parts = [list(_read_ratings(path)) for path in files]
        joined = _Ratings(*map(np.concatenate, zip(*(block for part in parts for block in part), strict=True)))
        ends = np.cumsum([sum(len(block.user) for block in part) for part in parts])
        del parts
        columns = {
            "user": _names_of(joined.user),
            "item": _names_of(joined.film),
            "rating": joined.stars.astype(np.float64),
            "timestamp": joined.day.astype(np.int64) * _DAY,
        }
        del joined
        table = FileTable(str(files[0] if len(files) == 1 else files[0].parent), columns, lambda row: _place(files, ends, row))
        return assemble(table, _STARS, self.duplicates)


def _read_ratings(path: Path) -> Iterator[_Ratings]:
    """Yield the ratings from each block of lines.

    Raises DataError if a line is neither a film nor a rating, or if a rating comes before any film; the message names the line.
    """
    film, line = 0, 1
    yield _rating_arrays([])
    for block in blocks(path, "utf-8"):
        data = block.encode()
        heads = list(_film_lines(data))
        films = np.array([film, *(int(head[1]) for head in heads)], dtype=np.int32)
        starts, ends = [0, *(head.end() for head in heads)], [*(head.start() for head in heads), len(data)]
        bodies = [data[start:end] for start, end in zip(starts, ends, strict=True)]
        counts = np.array([body.count(b"\n") + (body[-1:] not in {b"", b"\n"}) for body in bodies])
        read = _parse_swiftly(b"".join(bodies)) if film or not counts[0] else None
        if read is None or len(read[0]) != counts.sum():
            yield from _parse_exactly(path, data, film, line)
        else:
            yield _Ratings(read[0], np.repeat(films, counts), *read[1:])
        film, line = int(films[-1]), line + data.count(b"\n")


def _film_lines(data: bytes) -> Iterator[re.Match[bytes]]:
    """Yield the lines that name a film. Any other line with a colon is invalid."""
    at = data.find(b":")
    while at >= 0:
        if head := _HEADER.match(data, data.rfind(b"\n", 0, at) + 1):
            yield head
        at = data.find(b":", at + 1)


def _parse_swiftly(rows: bytes) -> tuple[NDArray[np.int32], NDArray[np.int8], NDArray[np.int32]] | None:
    """Read rating lines fast; return None if a line is not a rating."""
    if not rows:
        return np.empty(0, np.int32), np.empty(0, np.int8), np.empty(0, np.int32)
    table = parse_regular(rows, list(_COLUMNS), _COLUMNS, pa_csv.ParseOptions(quote_char=False))
    if table is None:
        return None
    user, stars, day = (
        np.asarray(table.column(name).combine_chunks().cast(pa.int32()).to_numpy(zero_copy_only=False)) for name in _COLUMNS
    )
    if len(user) and (user.min() < 0 or stars.min() < _STARS.lowest or stars.max() > _STARS.highest):
        return None
    return user, stars.astype(np.int8), day


def _parse_exactly(path: Path, data: bytes, film: int, line: int) -> Iterator[_Ratings]:
    """Read lines one by one; the first has number ``line``."""
    rows = []
    for number, text in enumerate(map(bytes.strip, data.splitlines()), start=line):
        if head := _HEADER.fullmatch(text):
            film = int(head[1])
        elif text:
            rows.append(_parse_rating(text, film, f"{path}:{number}"))
    yield _rating_arrays(rows)


def _rating_arrays(rows: list[tuple[int, int, int, int]]) -> _Ratings:
    user, film, stars, day = np.array(rows, dtype=np.int32).reshape(-1, 4).T
    return _Ratings(user, film, stars.astype(np.int8), day)


def _parse_rating(text: bytes, film: int, where: str) -> tuple[int, int, int, int]:
    found = _RATING.fullmatch(text)
    try:
        day = date.fromisoformat(found[3].decode()) if found else None
    except ValueError:
        day = None
    if found is None or day is None:
        shown = text[:60].decode("utf-8", errors="replace")
        problem = f"the line '{shown}' is neither a film nor a rating"
        raise DataError(problem, where=where, allowed="1: or 1488844,3,2005-09-06", remedy="download the file again")
    if not film:
        raise DataError(
            "a rating comes before the first film", where=where, allowed="1: in the first line", remedy="download the file again"
        )
    return int(found[1]), film, int(found[2]), (day - date(1970, 1, 1)).days


def _names_of(numbers: NDArray[np.int32]) -> Names:
    """Turn numbers into coded names with a lookup table. This avoids sorting, and makes only one string per name."""
    occurs = np.zeros(int(numbers.max(initial=0)) + 1, dtype=np.bool_)
    occurs[numbers] = True
    names = np.flatnonzero(occurs)
    code = np.zeros(len(occurs), dtype=np.int32)
    code[names] = np.arange(len(names), dtype=np.int32)
    return Names(list(map(str, names.tolist())), code[numbers])


def _place(files: Sequence[Path], ends: NDArray[np.int64], row: int) -> str:
    """Return the file and line of a rating, for messages."""
    part = int(np.searchsorted(ends, row, side="right"))
    left = row - (int(ends[part - 1]) if part else 0)
    number = 0
    for block in blocks(files[part], "utf-8"):
        for text in block.encode().splitlines():
            number += 1
            if text.strip() and not _HEADER.fullmatch(text.strip()):
                if left == 0:
                    return f"{files[part]}:{number}"
                left -= 1
    raise AssertionError(row)
