"""Rows of interactions for a block of users."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recsens.interactions import Interactions


@dataclass(frozen=True)
class Rows:
    """What some users rated, by user and item.

    Attributes
    ----------
    row
        Place of the user among those asked for, shape (n,), ascending.
    item
        Item, shape (n,).
    rating
        Rating, shape (n,); NaN where the data set has none.
    """

    row: NDArray[np.int64]
    item: NDArray[np.int32]
    rating: NDArray[np.float64]

    @classmethod
    def of(cls, given: Interactions, users: NDArray[np.int64]) -> Rows:
        """Take the interactions of these users."""
        row, place = places(given.matrix.indptr, users)
        rating = np.full(len(row), np.nan) if given.rating is None else given.matrix.data[place]
        return cls(row, given.matrix.indices[place].astype(np.int32), rating)

    def relevant(self, relevance: float) -> Rows:
        """Keep what reaches a threshold; without ratings, everything does."""
        kept = np.isnan(self.rating) | (self.rating >= relevance)
        return Rows(self.row[kept], self.item[kept], self.rating[kept])

    def indptr(self, n_rows: int) -> NDArray[np.int64]:
        """Return where each user's rows begin, shape (n_rows + 1,)."""
        return np.searchsorted(self.row, np.arange(n_rows + 1)).astype(np.int64)


def places(indptr: NDArray[np.integer], users: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return, for each entry of these users, the user's place among those asked for, and the entry's place in the matrix."""
    lengths = np.diff(indptr)[users]
    row = np.repeat(np.arange(len(users)), lengths)
    first = np.repeat(indptr[users] - (np.cumsum(lengths) - lengths), lengths)
    return row, np.arange(len(row)) + first
