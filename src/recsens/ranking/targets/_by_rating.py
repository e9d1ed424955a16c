"""Targets of each relevant test rating (1R)."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recsens.ranking.targets._strata import Strata


@dataclass(frozen=True)
class ByRating:
    """Some users' target sets under 1R: T_u^r = {i_r} + N_u^r for each relevant test rating r.

    i_r is the item of r, and N_u^r are the non-relevant items with which it is ranked.

    Attributes
    ----------
    pool
        Items from which each user's non-relevant targets are taken, shape (n_users, n_items).
    indptr, items, rating
        The items and values of relevant test ratings, by user and then by item; user b has the ratings ``indptr[b]:indptr[b + 1]``.
        Values are NaN if the data set has no ratings.
    is_candidate
        Whether a rated item may be a target at all, shape (n_ratings,).
    strata
        Groups of items; N_u^r is taken from the items in the pool that are in the same group as r's item.
    n
        Size of N_u^r, or None for all items of the pool in the group.
    draw
        Function that draws N_u^r for every rating; the result has shape (n_ratings, at most n), with -1 where no item is left. None
        if nothing is drawn.
    """

    pool: NDArray[np.bool_]
    indptr: NDArray[np.int64]
    items: NDArray[np.int32]
    rating: NDArray[np.float64]
    is_candidate: NDArray[np.bool_]
    strata: Strata
    n: int | None
    draw: Callable[[], NDArray[np.int32]] | None

    @property
    def groups(self) -> NDArray[np.int64]:
        """Group of each rating's item, shape (n_ratings,)."""
        return self.strata.of[self.items]

    @property
    def row(self) -> NDArray[np.int64]:
        """User of each rating, as an index into the block, shape (n_ratings,)."""
        return np.repeat(np.arange(len(self.pool)), np.diff(self.indptr))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Size of each target set, including the rated item, shape (n_ratings,)."""
        n_groups = self.strata.n_groups
        row, item = np.nonzero(self.pool)
        counts = np.bincount(row * n_groups + self.strata.of[item], minlength=len(self.pool) * n_groups)
        others = counts.reshape(-1, n_groups)[self.row, self.groups]
        return np.asarray((others if self.n is None else np.minimum(others, self.n)) + self.is_candidate, dtype=np.int64)
