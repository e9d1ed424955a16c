"""Files of scores, such as another program's recommendations: one row a pair of user and item."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from recsens.errors import DataError, nearest

Form = Literal["csv", "trec", "parquet"]
"""What a file of scores is written as."""

COLUMNS = ("user", "item", "score")
"""The columns of a table of scores."""


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
        return cls(joined.dictionary.to_pylist(), joined.indices.to_numpy(zero_copy_only=False).astype(np.int32, copy=False))


@dataclass(frozen=True)
class Run:
    """The rows of a file of scores.

    Attributes
    ----------
    user, item
        The pair of each row, by raw names.
    score
        Score of each row, shape (n,), float64, finite.
    place
        Says where a row stands in the file, given its index.
    """

    user: Names
    item: Names
    score: NDArray[np.float64]
    place: Callable[[int], str]


def checked(path: Path, run: Run) -> Run:
    """Return a run after checking that it has rows, and that their scores are finite.

    Raises
    ------
    DataError
        If not, with file and line.
    """
    if len(run.score) == 0:
        raise DataError("holds no scores", where=str(path), remedy="write one row for each user and item that the model can score")
    faulty = ~np.isfinite(run.score)
    if faulty.any():
        row = int(np.argmax(faulty))
        raise not_a_score(f"{run.score[row]}", run.place(row))
    return run


def not_a_score(text: str, place: str) -> DataError:
    """Return the error of a score that is none."""
    return DataError(
        f"the score is '{text}'",
        where=place,
        allowed="a finite number such as 0.25",
        remedy="leave out what the model cannot score",
    )


def check_columns(path: Path, found: list[str], where: str) -> None:
    """Refuse a table whose columns are not user, item and score, in any order.

    Raises
    ------
    DataError
        If one is missing, stands twice, or is not known.
    """
    unknown = [name for name in found if name not in COLUMNS]
    missing = [name for name in COLUMNS if name not in found]
    if not unknown and not missing and len(found) == len(COLUMNS):
        return
    faults = [f"unknown column '{name}'{nearest(name, missing)}" for name in unknown]
    faults += [f"no column '{name}'" for name in missing]
    remedy = (
        'with pandas: frame[["user", "item", "score"]].to_csv(..., index=False); a TREC run is read with format=trec'
        if path.suffix != ".parquet"
        else 'with pandas: frame[["user", "item", "score"]].to_parquet(..., index=False)'
    )
    problem = "; ".join(faults) or "a column stands twice"
    raise DataError(problem, where=where, allowed="the columns user, item and score, named in the first row", remedy=remedy)
