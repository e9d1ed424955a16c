"""Interactions of users with items, and side information."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from recsens.arrays import read_only
from recsens.errors import DataError, DesignError, nearest
from recsens.files.scale import Scale
from recsens.plugins.frozen import Frozen, frozen, frozen_property

__all__ = ["NAMING", "Interactions", "Scale", "SideColumn", "SideTable", "read_only", "refuse_missing"]

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
        kinds = {_value_kind(name, value) for value in values if value is not None}
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
        cells = [(() if value is None else (value,) if isinstance(value, str) else tuple(value)) for value in values]
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


def _value_kind(name: str, value: Any) -> Kind:
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


Derived = TypeVar("Derived")


@dataclass(frozen=True)
class Interactions(Frozen):
    """Interactions of ``n_users`` users with ``n_items`` items; every (user, item) pair occurs at most once. Read-only.

    Attributes
    ----------
    user, item
        Codes in ``0..n_users-1`` and ``0..n_items-1``, shape (n,), int32.
    rating
        Ratings on ``scale``, shape (n,), float64; None if the data set has none (then every interaction counts as positive).
    timestamp
        Seconds since 1970, or the raw file's own unit, shape (n,), int64; None if the data set has none.
    user_keys, item_keys
        Keys of the users and items, fixed when the data are read, shapes (n_users,) and (n_items,), int64. Random streams hash
        these keys, so a filter that renumbers users does not change any draw.
    scale
        The rating scale.
    user_ids, item_ids
        Names as in the raw file, shapes (n_users,) and (n_items,); None if the data had no names. Only plug-ins that read the
        user's own files (predefined folds, target items, scores) use the names.
    user_table, item_table
        Side information on each user and item; None unless the recommender to be fitted declares that it uses side information.
    context_table
        The contexts, one row per interaction; None unless the recommender to be fitted declares that it uses contexts.
    """

    user: NDArray[np.int32]
    item: NDArray[np.int32]
    rating: NDArray[np.float64] | None
    timestamp: NDArray[np.int64] | None
    user_keys: NDArray[np.int64]
    item_keys: NDArray[np.int64]
    scale: Scale
    user_ids: NDArray[np.object_] | None = None
    item_ids: NDArray[np.object_] | None = None
    user_table: SideTable | None = None
    item_table: SideTable | None = None
    context_table: SideTable | None = None

    def __len__(self) -> int:
        return len(self.user)

    @property
    def n_users(self) -> int:
        """Number of users, including those without interactions here."""
        return len(self.user_keys)

    @property
    def n_items(self) -> int:
        """Number of items, including those without interactions here."""
        return len(self.item_keys)

    @frozen_property
    def values(self) -> NDArray[np.float64]:
        """Ratings, or ones if the data set has none."""
        return np.ones(len(self)) if self.rating is None else self.rating

    @property
    def matrix(self) -> csr_array:
        """Ratings as a sparse matrix with sorted indices, shape (n_users, n_items), float64; read-only.

        A rating of zero is a stored entry; a pair without a stored entry is not rated.
        """
        return frozen(self._matrix)

    @cached_property
    def _matrix(self) -> csr_array:
        # Counting users and sorting each user's items takes a tenth of the time of sorting all pairs.
        grouped = coo_array((self.values, (self.user, self.item)), shape=(self.n_users, self.n_items)).tocsr()
        grouped.sort_indices()
        indices, indptr = grouped.indices.astype(np.int64), grouped.indptr.astype(np.int64)
        matrix = csr_array((grouped.data, indices, indptr), shape=grouped.shape)
        # Without this mark, scipy checks the format again for every view.
        matrix.has_canonical_format = True
        return matrix

    @frozen_property
    def user_counts(self) -> NDArray[np.int64]:
        """Count the interactions of each user, shape (n_users,)."""
        return np.bincount(self.user, minlength=self.n_users).astype(np.int64)

    @frozen_property
    def item_counts(self) -> NDArray[np.int64]:
        """Count the interactions of each item, shape (n_items,)."""
        return np.bincount(self.item, minlength=self.n_items).astype(np.int64)

    def once(self, key: Hashable, work: Callable[[], Derived]) -> Derived:
        """Return a read-only quantity derived from these interactions alone; only the first call with a given key computes it."""
        if key not in self._known:
            self._known[key] = frozen(work())
        derived: Derived = self._known[key]
        return derived

    @cached_property
    def _known(self) -> dict[Hashable, Any]:
        return {}

    def take(self, chosen: NDArray[np.bool_]) -> Interactions:
        """Return the chosen interactions of the same users and items."""
        return replace(
            self,
            user=self.user[chosen],
            item=self.item[chosen],
            rating=None if self.rating is None else self.rating[chosen],
            timestamp=None if self.timestamp is None else self.timestamp[chosen],
            context_table=None if self.context_table is None else self.context_table.take(np.flatnonzero(chosen)),
        )
