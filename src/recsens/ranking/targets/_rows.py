"""The ratings of a block of users."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recsens.data.interactions import Interactions


@dataclass(frozen=True)
class UserRatings:
    """Ratings of some users, sorted by user and item.

    Attributes
    ----------
    row
        Index of the user among the requested users, shape (n,), ascending.
    item
        Item, shape (n,).
    rating
        Rating, shape (n,); NaN if the data set has none.
    """

    row: NDArray[np.int64]
    item: NDArray[np.int32]
    rating: NDArray[np.float64]

    @classmethod
    def of(cls, given: Interactions, users: NDArray[np.int64]) -> UserRatings:
        """Take the interactions of these users."""
        row, entry = entries_of(given.matrix.indptr, users)
        rating = np.full(len(row), np.nan) if given.rating is None else given.matrix.data[entry]
        return cls(row, given.matrix.indices[entry].astype(np.int32), rating)

    @classmethod
    def of_all(cls, given: Interactions) -> UserRatings:
        """Take all users' interactions, in data order."""
        rating = np.full(len(given), np.nan) if given.rating is None else given.rating
        return cls(given.user.astype(np.int64), given.item, rating)

    def relevant(self, relevance: float) -> UserRatings:
        """Keep ratings at or above a threshold; keep all interactions in data without ratings."""
        kept = np.isnan(self.rating) | (self.rating >= relevance)
        return UserRatings(self.row[kept], self.item[kept], self.rating[kept])

    def indptr(self, n_rows: int) -> NDArray[np.int64]:
        """Return where each user's ratings start, shape (n_rows + 1,)."""
        return np.searchsorted(self.row, np.arange(n_rows + 1)).astype(np.int64)


def entries_of(indptr: NDArray[np.integer], users: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return, for each entry of these users, the user's index in ``users``, and the entry's index in the matrix."""
    lengths = np.diff(indptr)[users]
    row = np.repeat(np.arange(len(users)), lengths)
    first = np.repeat(indptr[users] - (np.cumsum(lengths) - lengths), lengths)
    return row, np.arange(len(row)) + first
