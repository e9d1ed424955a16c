"""Read train, test, validation and runs in every form that an evaluation accepts; read time stamps if a file has them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.errors import DataError
from recsens.files import FileTable, Names
from recsens.files.declared_columns import DeclaredColumns
from recsens.files.kinds import QRELS, RankBy
from recsens.files.paths import are_paths, in_words
from recsens.inputs.forms import read_any_rows, read_any_run
from recsens.inputs.times import TIME, with_times


@dataclass(frozen=True)
class CodedPairs:
    """Rows of user, item and value, in the order of their file.

    Attributes
    ----------
    user, item
        Codes of users and items, shape (n,); they are the same in all files of an audit.
    value
        Rating or score, shape (n,). Ranks are negated, so higher values are always better.
    time
        Time stamps, shape (n,); None if the file has none.
    """

    user: NDArray[np.int64]
    item: NDArray[np.int64]
    value: NDArray[np.float64]
    time: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.user)

    def kept(self, rows: NDArray[Any]) -> CodedPairs:
        """Return some rows, selected by a mask or by row numbers."""
        time = None if self.time is None else self.time[rows]
        return CodedPairs(self.user[rows], self.item[rows], self.value[rows], time)

    def with_value(self, value: NDArray[np.float64]) -> CodedPairs:
        """Return the same pairs with other values, shape (n,)."""
        return replace(self, value=value)


@dataclass
class Vocabulary:
    """Names with their codes, in the order of first appearance."""

    code_of: dict[str, int]

    def codes(self, names: Names) -> NDArray[np.int64]:
        """Return the code of each row's name, shape (n,), and give new names a code."""
        return np.array([self.code_of.setdefault(name, len(self.code_of)) for name in names.names], dtype=np.int64)[names.code]

    @property
    def names(self) -> list[str]:
        """All names, by code."""
        return list(self.code_of)


def read_ratings(source: Any, what: str, told: DeclaredColumns | None) -> tuple[FileTable, NDArray[np.int64] | None]:
    """Read ratings, and their time stamps if there are any.

    ``source`` is a path, a frame or tuple as for an evaluation, or a pair of such rows and an array of time stamps. Raises
    DataError if ``source`` cannot be read, or if the number of time stamps differs from the number of rows.
    """
    if are_paths(source):
        joined = FileTable.joined(in_words(list(map(Path, source))), [read_ratings(each, what, told)[0] for each in source])
        return joined, joined.columns.get(TIME)
    if isinstance(source, tuple) and len(source) == len(("rows", "times")):
        rows = read_any_rows(source[0], QRELS, told)
        times = np.asarray(source[1])
        if times.shape != (len(rows),) or times.dtype.kind not in "iu":
            raise DataError(
                f"time stamps of shape {times.shape} and type {times.dtype}", where=what, allowed="one integer for each row"
            )
        return rows, times.astype(np.int64)
    rows = read_any_rows(source, QRELS, told, what)
    if isinstance(source, str | Path):
        rows = with_times(rows, Path(source), told)
    return rows, rows.columns.get(TIME)


def read_run(source: Any, name: str, rank_by: RankBy, told: DeclaredColumns | None) -> FileTable:
    """Read a run with one row for each user and item.

    Raises DataError if the run cannot be read, or if it has compact scores or judged ranks, which contain no lists.
    """
    rows = read_any_run(source, rank_by, told)
    if isinstance(rows, FileTable):
        return rows
    raise DataError(
        f"run '{name}' has compact scores or judged ranks, which show neither lists nor the order of rows",
        where=rows.source,
        allowed="a run with one row for each user and item",
        remedy="write each user's list, for example the best 100 items",
    )


def coded(rows: FileTable, time: NDArray[np.int64] | None, users: Vocabulary, items: Vocabulary, *, sign: float = 1) -> CodedPairs:
    """Replace a table's names by codes of common vocabularies; a ``sign`` of -1 turns ranks into values."""
    return CodedPairs(users.codes(rows.user), items.codes(rows.item), sign * rows.value, time)


def table_of(pairs: CodedPairs, users: list[str], items: list[str], what: str, role: str) -> tuple[FileTable, NDArray[np.int64]]:
    """Return pairs as a table that an evaluation can read, and the code of each user in the table."""
    user, item = (
        Names(names, code.astype(np.int32)).kept(slice(None)) for names, code in ((users, pairs.user), (items, pairs.item))
    )
    table = FileTable(what, {"user": user, "item": item, role: pairs.value}, lambda row: f"{what}, row {row + 1}")
    return table, np.flatnonzero(np.bincount(pairs.user, minlength=len(users)))


def keys(pairs: CodedPairs, n_items: int) -> NDArray[np.int64]:
    """Return a distinct number for each pair of user and item, shape (n,)."""
    return pairs.user * n_items + pairs.item
