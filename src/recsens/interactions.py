"""Interactions in memory: who met what, with which rating, when."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array


@dataclass(frozen=True, slots=True)
class Scale:
    """The rating scale of a data set: lowest and highest value and the distance between neighbouring values (0: any value)."""

    lowest: float = 1.0
    highest: float = 5.0
    step: float = 1.0

    @property
    def relevance(self) -> float:
        """Default threshold of relevance: the upper quarter of the scale, rounded up to a value of it (4 on 1-5)."""
        cut = self.lowest + 0.75 * (self.highest - self.lowest)
        if self.step == 0:
            return cut
        steps = math.ceil(round((cut - self.lowest) / self.step, 9))
        # 3.8 on a scale in tenths, not 3.8000000000000003, which the rating 3.8 would miss.
        return round(self.lowest + steps * self.step, 9)


@dataclass(frozen=True)
class Interactions:
    """Interactions of ``n_users`` users with ``n_items`` items; every (user, item) pair occurs at most once.

    Attributes
    ----------
    user, item
        Codes in ``0..n_users-1`` and ``0..n_items-1``, shape (n,), int32.
    rating
        Ratings on ``scale``, shape (n,), float64; None where the data set has none (then every interaction counts as positive).
    timestamp
        Seconds since 1970, or what else the raw file counts in, shape (n,), int64; None where the data set has none.
    user_keys, item_keys
        Identities fixed at ingest, shapes (n_users,) and (n_items,), int64. Random streams hash these, so a filter that renumbers
        users does not redraw anything.
    scale
        The rating scale.
    user_ids, item_ids
        Names as in the raw file, shapes (n_users,) and (n_items,); None where the data never had any. Only what reads files of
        the user's own (predefined folds, target items, scores) looks at them.
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

    def __len__(self) -> int:
        return len(self.user)

    @property
    def n_users(self) -> int:
        """Number of users, with or without interactions here."""
        return len(self.user_keys)

    @property
    def n_items(self) -> int:
        """Number of items, with or without interactions here."""
        return len(self.item_keys)

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """Ratings, or ones where the data set has none."""
        return np.ones(len(self)) if self.rating is None else self.rating

    @cached_property
    def matrix(self) -> csr_array:
        """Ratings as a sparse matrix with sorted indices, shape (n_users, n_items), float64; read-only.

        A rating of zero is a stored entry: what is not stored was not rated.
        """
        order = np.lexsort((self.item, self.user))
        indptr = np.concatenate([[0], np.cumsum(self.user_counts)])
        matrix = csr_array((self.values[order], self.item[order], indptr), shape=(self.n_users, self.n_items))
        for part in (matrix.data, matrix.indices, matrix.indptr):
            part.setflags(write=False)
        return matrix

    @cached_property
    def user_counts(self) -> NDArray[np.int64]:
        """Interactions of each user, shape (n_users,)."""
        return np.bincount(self.user, minlength=self.n_users).astype(np.int64)

    @cached_property
    def item_counts(self) -> NDArray[np.int64]:
        """Interactions of each item, shape (n_items,)."""
        return np.bincount(self.item, minlength=self.n_items).astype(np.int64)

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
        )
