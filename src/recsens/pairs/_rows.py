"""The rows of a file of scores, such as another program's recommendations, or of ratings: one a pair of user and item."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from recsens.errors import DataError, nearest

Form = Literal["csv", "tsv", "trec", "parquet"]
"""What a file is written as."""


@dataclass(frozen=True)
class Layout:
    """What the rows of a file say of a pair.

    Attributes
    ----------
    value
        Name of the column of values.
    trec
        The fields of a line in TREC's form.
    example
        What a value looks like.
    remedy
        What to do about a pair without a value.
    beside
        A column that a table may hold too, which is not read.
    is_whole
        Whether values are whole numbers from 0 on; else any finite numbers.
    """

    value: str
    trec: tuple[str, ...]
    example: str
    remedy: str
    beside: str | None = None
    is_whole: bool = False

    @property
    def columns(self) -> tuple[str, str, str]:
        """The columns of a table."""
        return "user", "item", self.value

    def not_a_value(self, text: str, place: str) -> DataError:
        """Return the error of a value that is none."""
        kind = "a whole number from 0 on" if self.is_whole else "a finite number"
        return DataError(f"the {self.value} is '{text}'", where=place, allowed=f"{kind} such as {self.example}", remedy=self.remedy)

    def not_values(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which values are none, shape (n,)."""
        is_value = np.isfinite(values)
        if self.is_whole:
            is_value &= (values >= 0) & (values == np.floor(values))
        return ~is_value


RankBy = Literal["score", "rank"]
"""What orders the items of a run: the score, highest first, or the rank, lowest first."""

_RUN = ("user", "Q0", "item", "rank", "score", "tag")

BY_RANK = 'order the run by its ranks instead: --rank-by rank, rank_by="rank"'
"""What to do about a run whose scores say nothing."""

RUN = Layout("score", _RUN, "0.25", f"leave out what the model cannot score, or {BY_RANK}", beside="rank")
"""A run by its scores."""

RANKS = Layout("rank", _RUN, "1", "give every item of the run its rank", beside="score", is_whole=True)
"""A run by its ranks; the scores are not read."""

RUNS: dict[RankBy, Layout] = {"score": RUN, "rank": RANKS}
"""How a run is read that is ordered by its scores, or by its ranks."""

QRELS = Layout("rating", ("user", "0", "item", "rating"), "4", "leave out what nobody has judged")
"""Ratings of the test set: TREC's qrels."""


@dataclass(frozen=True)
class Names:
    """A column of names, each kept once.

    Attributes
    ----------
    names
        Distinct names.
    code
        Name of each row, as an index, shape (n,).
    """

    names: list[str]
    code: NDArray[np.int32]

    @classmethod
    def of(cls, column: pa.ChunkedArray) -> Names:
        """Code a column of text."""
        coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        joined = pa.concat_arrays(coded.unify_dictionaries().chunks) if coded.num_chunks else pa.array([], coded.type)
        return cls(joined.dictionary.to_pylist(), np.from_dlpack(joined.indices).astype(np.int32, copy=False))


def numbers(column: pa.ChunkedArray) -> NDArray[np.float64]:
    """Return a column of numbers without nulls; pyarrow's own way would import pandas, which takes longer than most files."""
    chunks = (column if pa.types.is_float64(column.type) else column.cast(pa.float64())).chunks
    return np.asarray(np.from_dlpack(pa.concat_arrays(chunks)), dtype=np.float64) if chunks else np.empty(0)


@dataclass(frozen=True)
class Rows:
    """The rows of a file.

    Attributes
    ----------
    user, item
        The pair of each row, by raw names.
    value
        Score or rating of each row, shape (n,), float64, finite.
    place
        Says where a row stands in the file, given its index.
    """

    user: Names
    item: Names
    value: NDArray[np.float64]
    place: Callable[[int], str]

    def __len__(self) -> int:
        return len(self.value)

    @property
    def is_constant(self) -> bool:
        """Whether there are several rows, and all have one and the same value: it orders nothing."""
        return len(self) > 1 and bool((self.value == self.value[0]).all())

    def repeated(self, first: int, second: int) -> DataError:
        """Return the error of a pair that stands in two rows."""
        user, item = (names.names[names.code[second]] for names in (self.user, self.item))
        return DataError(
            f"user '{user}' with item '{item}' occurs again; first at {self.place(first)}",
            where=self.place(second),
            remedy="a pair has one value: keep one of the lines",
        )


def checked(place: str, rows: Rows, layout: Layout) -> Rows:
    """Return rows after checking that there are some, and that their values are finite.

    Raises
    ------
    DataError
        If not, with file and line.
    """
    if len(rows) == 0:
        said = "that is judged" if layout is QRELS else "that the model can score"
        raise DataError(f"holds no {layout.value}s", where=place, remedy=f"write one row for each user and item {said}")
    # Few files hold a fault, and a sum is one pass without a copy.
    if layout.is_whole or not np.isfinite(rows.value.sum()):
        faulty = layout.not_values(rows.value)
        if faulty.any():
            row = int(np.argmax(faulty))
            raise layout.not_a_value(f"{rows.value[row]:.15g}", rows.place(row))
    return rows


def check_columns(path: Path, found: list[str], where: str, layout: Layout) -> None:
    """Refuse a table whose columns are not those of a layout, in any order.

    Raises
    ------
    DataError
        If one is missing, stands twice, or is not known.
    """
    columns = layout.columns
    unknown = [name for name in found if name not in {*columns, layout.beside}]
    missing = [name for name in columns if name not in found]
    if not unknown and not missing and len(found) == len(set(found)):
        return
    faults = [f"unknown column '{name}'{nearest(name, missing)}" for name in unknown]
    faults += [f"no column '{name}'" for name in missing]
    listed = ", ".join(f'"{name}"' for name in columns)
    remedy = (
        f"with pandas: frame[[{listed}]].to_csv(..., index=False); a TREC run is read with format=trec"
        if path.suffix != ".parquet"
        else f"with pandas: frame[[{listed}]].to_parquet(..., index=False)"
    )
    if layout is RUN and RANKS.value in found and missing == [RUN.value]:
        remedy = BY_RANK
    problem = "; ".join(faults) or "a column stands twice"
    allowed = f"the columns user, item and {layout.value}, named in the first row"
    raise DataError(problem, where=where, allowed=allowed, remedy=remedy)
