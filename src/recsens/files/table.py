"""Rows in a user's file: each row's user, item and value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, repeat
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from recsens.errors import DataError, nearest
from recsens.files.timestamps import in_one_unit

_SEARCHED = 1000
"""If there are more names than this, the nearest name is not searched for."""


@dataclass(frozen=True)
class Names:
    """A column of names: the distinct names, and each row's index into them, shape (n,)."""

    names: list[str]
    code: NDArray[np.int32]

    @classmethod
    def of(cls, column: pa.ChunkedArray) -> Names:
        """Make a column of names from a column of text."""
        coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        joined = coded.unify_dictionaries().combine_chunks()
        return cls(joined.dictionary.to_pylist(), np.from_dlpack(joined.indices).astype(np.int32, copy=False))

    def __len__(self) -> int:
        return len(self.code)

    def __getitem__(self, row: int) -> str:
        return self.names[int(self.code[row])]

    def kept(self, rows: NDArray[Any] | slice) -> Names:
        """Return the rows that a mask or row numbers select, with only the names that occur in them."""
        # Counting is much faster than np.unique, which sorts all rows.
        code = self.code[rows]
        is_used = np.bincount(code, minlength=len(self.names)) > 0
        used = np.flatnonzero(is_used)
        return Names([self.names[each] for each in used.tolist()], (np.cumsum(is_used, dtype=np.int32) - np.int32(1))[code])

    def codes_in(self, ids: Iterable[Any]) -> NDArray[np.int64]:
        """Return each row's index in ``ids``, or -1 if the name is missing there, shape (n,)."""
        return indices_in(map(str, ids), self.names)[self.code]


def indices_in(known: Iterable[str], names: Iterable[str]) -> NDArray[np.int64]:
    """Return the index of each name among the known names, or -1, shape (len(names),)."""
    code_of = dict(zip(known, count(), strict=False))
    return np.fromiter(map(code_of.get, names, repeat(-1)), dtype=np.int64)


def numbers(column: pa.ChunkedArray) -> NDArray[Any]:
    """Return a numeric column without nulls.

    pyarrow's conversion would import pandas, which takes longer than reading most files.
    """
    return np.asarray(np.from_dlpack(column.combine_chunks()))


@dataclass(frozen=True)
class FileTable:
    """A file's rows in order: columns by role, as names or numbers of shape (n,).

    ``source`` is the file; ``place`` returns the location of a row (``file:line``); ``n_invalid`` counts the rows left out;
    ``ignored`` are the columns that were not read.
    """

    source: str
    columns: Mapping[str, Any]
    place: Callable[[int], str]
    n_invalid: int = 0
    ignored: Sequence[str] = ()

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    @property
    def user(self) -> Names:
        """Each row's user."""
        return self.names("user")

    @property
    def item(self) -> Names:
        """Each row's item."""
        return self.names("item")

    @property
    def value(self) -> NDArray[np.float64]:
        """Score, rank or rating of each row, shape (n,)."""
        return next(np.asarray(self.columns[role]) for role in ("score", "rank", "rating") if role in self.columns)

    def names(self, role: str) -> Names:
        """Return a column of names."""
        column: Names = self.columns[role]
        return column

    def codes_among(self, role: str, ids: NDArray[np.object_], remedy: str) -> NDArray[np.int64]:
        """Return the index of each row's name in ``ids``, shape (n,).

        Raises DataError if a name is missing there.
        """
        codes = self.names(role).codes_in(ids)
        if (codes < 0).any():
            row = int(np.argmax(codes < 0))
            name = self.names(role)[row]
            near = nearest(name, map(str, ids)) if len(ids) < _SEARCHED else ""
            raise DataError(f"the data set has no {role} '{name}'{near}", where=self.place(row), remedy=remedy)
        return codes

    def kept(self, keep: NDArray[np.bool_]) -> FileTable:
        """Return the rows that a mask of shape (n,) selects; `place` still gives their locations in the file."""
        if keep.all():
            return self
        rows = np.flatnonzero(keep)
        columns = {
            role: column.kept(rows) if isinstance(column, Names) else np.asarray(column)[rows]
            for role, column in self.columns.items()
        }
        return replace(self, columns=columns, place=lambda row: self.place(int(rows[row])))

    @classmethod
    def joined(cls, source: str, tables: Sequence[FileTable]) -> FileTable:
        """Join the rows of several files, in the columns that all have; times are in the finest unit of any of them."""
        starts = np.cumsum([0, *map(len, tables)])
        columns: dict[str, Any] = {}
        for role, column in tables[0].columns.items():
            if any(role not in table.columns for table in tables):
                continue
            parts = [table.columns[role] for table in tables]
            if isinstance(column, Names):
                coded = [pa.DictionaryArray.from_arrays(pa.array(part.code), pa.array(part.names, pa.string())) for part in parts]
                columns[role] = Names.of(pa.chunked_array(coded, pa.dictionary(pa.int32(), pa.string())))
            else:
                columns[role] = np.concatenate(in_one_unit(parts) if role == "timestamp" else parts)

        def place(row: int) -> str:
            at = int(np.searchsorted(starts, row, side="right")) - 1
            return tables[at].place(row - int(starts[at]))

        return cls(source, columns, place, sum(table.n_invalid for table in tables), tables[0].ignored)

    @property
    def is_constant(self) -> bool:
        """Whether there are several rows and all have the same value, which gives them no order."""
        return len(self) > 1 and bool((self.value == self.value[0]).all())

    @property
    def _pair_numbers(self) -> NDArray[np.int64]:
        """A number for each row's pair of user and item, shape (n,)."""
        return np.asarray(self.user.code.astype(np.int64) * len(self.item.names) + self.item.code)

    @property
    def n_repeats(self) -> int:
        """Number of rows whose user and item occur in an earlier row."""
        # Sorting many distinct numbers is much faster than hashing them.
        pairs = np.sort(self._pair_numbers)
        return int(np.count_nonzero(pairs[1:] == pairs[:-1]))

    def first_repeat(self) -> tuple[int, int] | None:
        """Return the first row whose user and item occur in an earlier row, after that earlier row; None if there is none."""
        if not self.n_repeats:
            return None
        pairs = self._pair_numbers
        order = np.argsort(pairs, kind="stable")
        second = int(order[1:][pairs[order[1:]] == pairs[order[:-1]]].min())
        return int(np.flatnonzero(pairs == pairs[second])[0]), second

    def refuse_repeats(self, what: str = "") -> None:
        """Refuse rows whose user and item occur in an earlier row; ``what`` names the table, such as ``the train set``.

        Raises DataError about the first such row.
        """
        rows = self.first_repeat()
        if rows:
            error = self.repeated(*rows)
            raise DataError(error.problem, where=f"{what}, {error.where}" if what else error.where, remedy=error.remedy)

    def repeated(self, first: int, second: int) -> DataError:
        """Return the error about a pair that occurs twice."""
        problem = f"user '{self.user[second]}' with item '{self.item[second]}' occurs again; first at {self.place(first)}"
        return DataError(problem, where=self.place(second), remedy="a pair has one value: keep one of the lines")
