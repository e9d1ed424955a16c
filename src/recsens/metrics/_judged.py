"""Judged positions as metrics read them, one user after another."""

from __future__ import annotations

from collections.abc import Callable
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
        User of each row, shape (n,), ascending.
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
        """See judged positions of full rankings under a view.

        Condensing removes unjudged items, so a judged item's new position is its order among the judged ones that are ranked.
        Rows stand by user; ``position`` is 0 where an item is not ranked; ``targets_ranked`` is the length of each full ranking.
        """
        if view == "full":
            return cls(user, position, rating, targets_ranked, scale, relevance)
        ranked = np.flatnonzero(position)
        order = ranked[np.lexsort((position[ranked], user[ranked]))]
        listed = np.bincount(user[order], minlength=len(targets_ranked))
        starts = np.cumsum(listed) - listed
        condensed = np.zeros_like(position)
        condensed[order] = np.arange(len(order)) - starts[user[order]] + 1
        return cls(user, condensed, rating, listed.astype(np.int64), scale, relevance)

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

    def sums(
        self,
        values: NDArray[np.float64],
        cutoffs: tuple[int, ...],
        weight: Callable[[NDArray[np.int64]], NDArray[np.float64]] | None = None,
    ) -> NDArray[np.float64]:
        """Sum values over each user's judged items at or above each cut-off, shape (n_users, n_cutoffs).

        ``values`` has shape (n,); ``weight`` says what a position counts, 1 by default. Unranked rows never count.
        """
        bounds = np.asarray(cutoffs)
        order = np.argsort(bounds)
        near = np.flatnonzero((self.position > 0) & (self.position <= bounds.max()))
        position = self.position[near]
        weighted = values[near] if weight is None else values[near] * weight(position)
        # Each row falls into the first cut-off that reaches it; sums at deeper cut-offs accumulate.
        bucket = self.user[near] * len(bounds) + np.searchsorted(bounds[order], position)
        flat = np.bincount(bucket, weights=weighted, minlength=self.n_users * len(bounds))
        sums = np.empty((self.n_users, len(bounds)))
        sums[:, order] = flat.reshape(self.n_users, len(bounds)).cumsum(axis=1)
        return sums
