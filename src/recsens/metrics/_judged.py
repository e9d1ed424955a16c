"""Judged positions as metrics read them, one user after another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from recsens.interactions import Scale
from recsens.metrics._kernels import count_above
from recsens.metrics._near import Near
from recsens.vocabulary import View

_POSITION_BITS = 32


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
    score
        What the recommender gave each item, shape (n,), float64, NaN where it gave nothing; None where it is not known. Only
        metrics that treat equal scores as ties, or compare scores with ratings, read it.
    item
        Item of each row, shape (n,); None where it is not known. Only metrics that join what different users' rows say read it.
    unjudged_above
        Items above each that the judgements name without judging them, shape (n,); None where there are no such items. Only
        metrics that tell them from items which nobody meant to judge read it.
    """

    user: NDArray[np.int32]
    position: NDArray[np.int64]
    rating: NDArray[np.float64]
    listed: NDArray[np.int64]
    scale: Scale
    relevance: float
    score: NDArray[np.float64] | None = None
    item: NDArray[np.int32] | None = None
    unjudged_above: NDArray[np.int64] | None = None

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
        score: NDArray[np.float64] | None = None,
        item: NDArray[np.int32] | None = None,
        unjudged_above: NDArray[np.int64] | None = None,
    ) -> Judged:
        """See judged positions of full rankings under a view.

        Condensing removes unjudged items, so a judged item's new position is its order among the judged ones that are ranked.
        Rows stand by user; ``position`` is 0 where an item is not ranked; ``targets_ranked`` is the length of each full ranking.
        """
        full = cls(user, position, rating, targets_ranked, scale, relevance, score, item, unjudged_above)
        if view == "full":
            return full
        condensed = np.zeros_like(position)
        condensed[full.order] = np.arange(len(full.order)) - full.order_starts[user[full.order]] + 1
        return replace(full, position=condensed, listed=np.diff(full.order_starts), unjudged_above=None)

    @property
    def n_users(self) -> int:
        """Number of users, judged or not."""
        return len(self.listed)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """First row of each user, and the number of rows after all of them, shape (n_users + 1,)."""
        return np.searchsorted(self.user, np.arange(self.n_users + 1))

    @cached_property
    def is_relevant(self) -> NDArray[np.bool_]:
        """Whether each judged item is relevant, shape (n,)."""
        return np.isnan(self.rating) | (self.rating >= self.relevance)

    @cached_property
    def n_relevant(self) -> NDArray[np.int64]:
        """Relevant judged items of each user, ranked or not, shape (n_users,)."""
        return np.diff(np.concatenate([[0], np.cumsum(self.is_relevant)])[self.starts])

    @cached_property
    def n_judged(self) -> NDArray[np.int64]:
        """Judged items of each user, ranked or not, shape (n_users,)."""
        return np.diff(self.starts)

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """Row numbers of the ranked items, by user, then by position, shape (n_ranked,)."""
        rows = self._ranked
        # One number holds user and position: users stand in order, and a stable sort is fast on what is sorted in parts.
        return rows[np.argsort((self.user[rows].astype(np.int64) << _POSITION_BITS) + self.position[rows], kind="stable")]

    @cached_property
    def order_starts(self) -> NDArray[np.int64]:
        """First place of each user in `order`, and the length of it after all of them, shape (n_users + 1,)."""
        return np.searchsorted(self._ranked, self.starts)

    @cached_property
    def _ranked(self) -> NDArray[np.int64]:
        """Row numbers of the ranked items, ascending, shape (n_ranked,)."""
        return np.flatnonzero(self.position > 0)

    @property
    def relevant_above(self) -> NDArray[np.int64]:
        """Relevant items ranked above each ranked item, shape (n,); 0 where the item is not ranked."""
        return self._above[0]

    @property
    def judged_above(self) -> NDArray[np.int64]:
        """Judged items ranked above each ranked item, shape (n,); 0 where the item is not ranked."""
        return self._above[1]

    @cached_property
    def _above(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        relevant, judged = np.zeros((2, len(self.user)), dtype=np.int64)
        count_above(self.order, self.order_starts, self.is_relevant, relevant, judged)
        return relevant, judged

    def of_users(self, kept: NDArray[np.bool_]) -> Judged:
        """Keep some users, shape (n_users,), numbered anew, as if the others had never been."""
        if kept.all():
            return self
        rows = kept[self.user]
        return replace(
            self,
            user=(np.cumsum(kept) - 1).astype(np.int32)[self.user[rows]],
            position=self.position[rows],
            rating=self.rating[rows],
            listed=self.listed[kept],
            score=None if self.score is None else self.score[rows],
            item=None if self.item is None else self.item[rows],
            unjudged_above=None if self.unjudged_above is None else self.unjudged_above[rows],
        )

    def sums(
        self,
        values: NDArray[np.float64],
        cutoffs: tuple[int, ...],
        weight: Callable[[NDArray[np.int64]], NDArray[np.float64]] | None = None,
    ) -> NDArray[np.float64]:
        """Sum values over each user's judged items at or above each cut-off, shape (n_users, n_cutoffs).

        ``values`` has shape (n,); ``weight`` says what a position counts, 1 by default. Unranked rows never count.
        """
        near, _ = self._near(cutoffs)
        own = values[near.rows]
        return near.sum_down(own if weight is None else own * weight(self.position[near.rows]), self.n_users)

    def sum_hits(self, worth: Callable[[NDArray[np.int64]], NDArray[np.float64]], cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Sum what relevant items at or above each cut-off are worth, shape (n_users, n_cutoffs).

        ``worth`` is asked for the values of some rows. Few of the judged items are near the top: nothing is computed of the others.
        """
        _, hits = self._near(cutoffs)
        return hits.sum_down(worth(hits.rows), self.n_users)

    def hits(self, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Count each user's relevant items at or above each cut-off, shape (n_users, n_cutoffs)."""
        return self.sum_hits(lambda rows: np.ones(len(rows)), cutoffs)

    def _near(self, cutoffs: tuple[int, ...]) -> tuple[Near, Near]:
        """Return the rows that a cut-off reaches, and the relevant ones: looked for once, as most metrics share their cut-offs."""
        if cutoffs not in self._found_near:
            near = Near.of(self._ranked, self.user, self.position, cutoffs)
            self._found_near[cutoffs] = near, near.only(self.is_relevant)
        return self._found_near[cutoffs]

    @cached_property
    def _found_near(self) -> dict[tuple[int, ...], tuple[Near, Near]]:
        return {}
