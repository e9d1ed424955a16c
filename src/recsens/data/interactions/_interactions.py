"""Interactions in memory: their users, items, ratings and times."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from recsens.data.interactions._side_information import SideTable
from recsens.files.scale import Scale
from recsens.plugins.frozen import Frozen, frozen, frozen_property

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
        return Interactions(
            user=self.user[chosen],
            item=self.item[chosen],
            rating=None if self.rating is None else self.rating[chosen],
            timestamp=None if self.timestamp is None else self.timestamp[chosen],
            user_keys=self.user_keys,
            item_keys=self.item_keys,
            scale=self.scale,
            user_ids=self.user_ids,
            item_ids=self.item_ids,
            user_table=self.user_table,
            item_table=self.item_table,
            context_table=None if self.context_table is None else self.context_table.take(np.flatnonzero(chosen)),
        )
