"""Side information on users, items and interactions, in typed columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from recsens.errors import DataError, DesignError, nearest
from recsens.plugins.frozen import Frozen

Kind = Literal["category", "number", "set"]
"""The content of a cell: one level, a number, or a set of levels."""

NAMING = ("title",)
"""Columns that do not count as side information, because they only name a user or item."""


@dataclass(frozen=True)
class SideColumn(Frozen):
    """A column of a side table. Read-only.

    Attributes
    ----------
    kind
        The content of a cell.
    levels
        Names of the levels, in ascending order of code points; empty for numbers.
    features
        Ones where a row has a level, shape (n rows, n levels); for numbers, the values, shape (n rows, 1). Rows without a value and
        rows with an empty set have no entries; ``missing`` distinguishes the two.
    missing
        Whether a row's value is missing, shape (n rows,).
    """

    kind: Kind
    levels: tuple[str, ...]
    features: csr_array
    missing: NDArray[np.bool_]

    @classmethod
    def of(cls, name: str, values: Sequence[Any]) -> SideColumn:
        """Make a column from plain values: categories from text, numbers from numbers, sets from lists of text; None means missing.

        Raises DataError if values are of different kinds, or if a number is not finite.
        """
        missing = np.array([value is None for value in values], dtype=np.bool_)
        kinds = {_kind(name, value) for value in values if value is not None}
        if len(kinds) > 1:
            allowed = "text, numbers, or lists of text, all of one kind in a column; no value where it is missing"
            raise DataError(
                f"column '{name}' of a side table contains values of several kinds: {', '.join(sorted(kinds))}", allowed=allowed
            )
        kind: Kind = kinds.pop() if kinds else "category"
        if kind == "number":
            rows = np.flatnonzero(~missing)
            known = np.array([value for value in values if value is not None], dtype=np.float64)
            return cls(kind, (), csr_array((known, (rows, np.zeros_like(rows))), shape=(len(values), 1)), missing)
        cells = [_members(value) for value in values]
        levels = sorted({level for cell in cells for level in cell})
        code = {level: number for number, level in enumerate(levels)}
        indices = np.array([code[level] for cell in cells for level in sorted(set(cell))], dtype=np.int64)
        indptr = np.concatenate([[0], np.cumsum([len(set(cell)) for cell in cells])]).astype(np.int64)
        features = csr_array((np.ones(len(indices)), indices, indptr), shape=(len(values), len(levels)))
        return cls(kind, tuple(levels), features, missing)

    def take(self, rows: NDArray[np.int64]) -> SideColumn:
        """Return some rows in the given order. All levels are kept, even those without a row."""
        return SideColumn(self.kind, self.levels, csr_array(self.features[rows]), self.missing[rows])


@dataclass(frozen=True)
class SideTable(Frozen):
    """Side information on all users, items or interactions: named columns with one row per user, item or interaction, in order."""

    columns: Mapping[str, SideColumn]

    @classmethod
    def of(cls, columns: Mapping[str, Sequence[Any]]) -> SideTable:
        """Make a table from columns of plain values; raises the same errors as `SideColumn.of`."""
        return cls({name: SideColumn.of(name, values) for name, values in columns.items()})

    def take(self, rows: NDArray[np.int64]) -> SideTable:
        """Return some rows, in the order given."""
        return SideTable({name: column.take(rows) for name, column in self.columns.items()})


def _kind(name: str, value: Any) -> Kind:
    if isinstance(value, str):
        return "category"
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool):
        if not np.isfinite(value):
            raise DataError(
                f"column '{name}' of a side table contains {value}", allowed="a finite number, or no value where it is missing"
            )
        return "number"
    if isinstance(value, Iterable) and all(isinstance(level, str) for level in value):
        return "set"
    raise DataError(f"column '{name}' of a side table contains {value!r}", allowed="text, a number, or a list of text")


def _members(value: Any) -> Sequence[str]:
    return () if value is None else (value,) if isinstance(value, str) else tuple(value)


def refuse_missing(needs: Iterable[str], columns: Mapping[str, Iterable[str]], *, dataset: str, system: str) -> None:
    """Refuse a data set that lacks side information that a system needs; ``columns`` lists the data set's columns by table.

    Raises
    ------
    DesignError
        If a column is missing; the message names the column, the data set, the system and the existing columns.
    """
    there = [f"{of}.{name}" for of, names in columns.items() for name in names]
    absent = [column for column in needs if column not in there]
    if absent:
        raise DesignError(
            f"'{dataset}' lacks {', '.join(absent)}, which the system '{system}' needs{nearest(absent[0], there)}",
            allowed=", ".join(there) or "a data set with side information: this one has none",
            remedy="use another data set, or leave the system out",
        )
