"""Judged positions as metrics read them: one user after another, best position first."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from recsens.interactions import Scale
from recsens.vocabulary import View


@dataclass(frozen=True)
class Judged:
    """The judged items of all users under one view and one threshold of relevance.

    Attributes
    ----------
    user
        User of each row, shape (n,); rows stand by user, then by position, unranked ones last.
    position
        1-based position in the user's ranking, shape (n,), int64; 0 where the item is not ranked.
    rating
        Test rating, shape (n,), float64; NaN where the data set has none (then every judged item is relevant).
    listed
        Length of each user's ranking under the view, shape (n_users,), int64.
    scale
        The rating scale.
    relevance
        Ratings from here on are relevant.
    """

    user: NDArray[np.int32]
    position: NDArray[np.int64]
    rating: NDArray[np.float64]
    listed: NDArray[np.int64]
    scale: Scale
    relevance: float

    @classmethod
    def of(
        cls,
        *,
        user: NDArray[np.int32],
        position: NDArray[np.int64],
        rating: NDArray[np.float64],
        targets_ranked: NDArray[np.int64],
        view: View,
        scale: Scale,
        relevance: float,
    ) -> Judged:
        """Arrange judged positions of full rankings for a view.

        Condensing removes unjudged items, so a judged item's new position is its order among the judged ones that are ranked.
        ``position`` is 0 where an item is not ranked; ``targets_ranked`` is the length of each user's full ranking.
        """
        unranked = position == 0
        order = np.lexsort((position, unranked, user))
        user, position, rating, unranked = user[order], position[order], rating[order], unranked[order]
        if view == "full":
            return cls(user, position, rating, targets_ranked, scale, relevance)
        n_users = len(targets_ranked)
        starts = np.searchsorted(user, np.arange(n_users))
        condensed = np.arange(len(user)) - starts[user] + 1
        condensed[unranked] = 0
        listed = np.bincount(user[~unranked], minlength=n_users).astype(np.int64)
        return cls(user, condensed.astype(np.int64), rating, listed, scale, relevance)

    @property
    def n_users(self) -> int:
        """Number of users, judged or not."""
        return len(self.listed)

    @cached_property
    def is_relevant(self) -> NDArray[np.bool_]:
        """Whether each judged item is relevant, shape (n,)."""
        return np.isnan(self.rating) | (self.rating >= self.relevance)

    @cached_property
    def n_relevant(self) -> NDArray[np.int64]:
        """Relevant judged items of each user, ranked or not, shape (n_users,)."""
        return np.bincount(self.user[self.is_relevant], minlength=self.n_users).astype(np.int64)

    @cached_property
    def n_judged(self) -> NDArray[np.int64]:
        """Judged items of each user, ranked or not, shape (n_users,)."""
        return np.bincount(self.user, minlength=self.n_users).astype(np.int64)

    def sums(self, values: NDArray[np.float64], cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Sum values over each user's judged items at or above each cut-off, shape (n_users, n_cutoffs).

        ``values`` has shape (n,); unranked rows never count.
        """
        return sums_at(self.user, self.position, values, self.n_users, cutoffs)


def sums_at(
    user: NDArray[np.int32],
    position: NDArray[np.int64],
    values: NDArray[np.float64],
    n_users: int,
    cutoffs: tuple[int, ...],
) -> NDArray[np.float64]:
    """Sum ``values`` by user over the rows whose position is 1..cut-off, shape (n_users, n_cutoffs)."""
    bounds = np.asarray(cutoffs)
    order = np.argsort(bounds)
    near = np.flatnonzero((position > 0) & (position <= bounds.max()))
    # Each row falls into the first cut-off that reaches it; sums at deeper cut-offs accumulate.
    bucket = np.searchsorted(bounds[order], position[near])
    flat = np.bincount(user[near] * len(bounds) + bucket, weights=values[near], minlength=n_users * len(bounds))
    sums = np.empty((n_users, len(bounds)))
    sums[:, order] = flat.reshape(n_users, len(bounds)).cumsum(axis=1)
    return sums
