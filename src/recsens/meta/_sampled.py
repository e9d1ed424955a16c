"""Systems' values under 1R with any number of negatives, in expectation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recsens.aggregation import Scores
from recsens.errors import DesignError
from recsens.meta._base import Asked
from recsens.meta._board import Board
from recsens.meta._corrected import corrected
from recsens.meta._place_values import PlaceValues
from recsens.meta._rivals import Rivals
from recsens.outcomes.rounding import rounded

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Sampled:
    """A board measured under 1R; values have shape (n_metrics, n_systems), without digits that only rounding changes.

    Attributes
    ----------
    board
        The rankings.
    rivals
        Where each system ranks the relevant ratings.
    values
        What the metrics give to a single relevant item.
    replacement
        Whether an item can be drawn twice.
    """

    board: Board
    rivals: tuple[Rivals, ...]
    values: PlaceValues
    replacement: bool

    @classmethod
    def of(cls, board: Board, asked: Asked, most: int, *, replacement: bool) -> Sampled:
        """Prepare a board for up to ``most`` negatives.

        Raises
        ------
        DesignError
            If the rankings are condensed, users' values are not averaged, or a user has no candidate that is not relevant.
        """
        _refuse_unless_averaged(board)
        ratings = np.unique(board.rating[board.is_relevant])
        rivals = tuple(Rivals.of(board, system, ratings) for system in range(len(board.systems)))
        deepest = max((int(each.pool.max(initial=0)) for each in rivals), default=0)
        depth = 1 + (max(deepest, most) if replacement else deepest)
        return cls(board, rivals, PlaceValues.of(asked.metrics, depth, ratings, board.scale, board.relevance), replacement)

    @property
    def largest_pool(self) -> int:
        """The most candidates that any rating has."""
        return max(int(each.pool.max(initial=0)) for each in self.rivals)

    @property
    def mean_pool(self) -> int:
        """Candidates that a ranked rating has on average, over all systems, rounded; 0 if none is ranked."""
        pools = np.concatenate([each.pool[each.pair[each.pair >= 0]] for each in self.rivals])
        return round(float(pools.mean())) if len(pools) else 0

    def expected(self, n: int) -> Floats:
        """Return the expected values with n negatives."""
        return self._totals([each.drawn(self.values.at, n, replacement=self.replacement) for each in self.rivals])

    def full(self) -> Floats:
        """Return the values with all candidates as negatives."""
        return self._totals([self.values.at[each.above] for each in self.rivals])

    def corrected(self, n: int, gamma: float) -> Floats:
        """Return the expected corrected values with n negatives; a rating whose candidates are all drawn has its full value."""
        if not self.replacement and n >= self.largest_pool:
            return self.full()
        pool = self.mean_pool if self.replacement else max(self.mean_pool, n)
        estimate = corrected(self.values.at, pool, n, gamma, replacement=self.replacement)
        of_pairs = []
        for each in self.rivals:
            drawn = each.drawn(estimate, n, replacement=self.replacement)
            is_known = (each.pool <= n) & (not self.replacement)
            drawn[is_known] = self.values.at[each.above[is_known]]
            of_pairs.append(drawn)
        return self._totals(of_pairs)

    def auc(self) -> Floats:
        """Return each system's mean share of candidates ranked below the relevant item, shape (n_systems,); 0 for a miss."""
        below = [np.append(1 - each.above / each.pool, 0.0)[each.pair] for each in self.rivals]  # 0 for the pair -1
        return self._total(np.stack([each.mean(share) for each, share in zip(self.rivals, below, strict=True)]))

    def _totals(self, of_pairs: list[Floats]) -> Floats:
        of_users = np.stack([each.by_user(one, self.values) for each, one in zip(self.rivals, of_pairs, strict=True)], axis=1)
        return np.stack([self._total(of_metric) for of_metric in of_users]) if len(of_users) else np.empty(of_users.shape[:2])

    def _total(self, of_users: Floats) -> Floats:
        """Aggregate the values of users, shape (n_systems, n_users), each weighing its number of ratings."""
        n_ratings = self.rivals[0].n_ratings.astype(np.float64)
        known = {"train": self.board.train, "test": np.bincount(self.board.user, minlength=self.board.n_users)}
        users = {
            **self.board.user_columns,
            **{name: counts.astype(np.float64) for name, counts in known.items()},
            "relevant": n_ratings,
        }
        counts = np.stack([each.counts for each in self.rivals])
        return rounded(self.board.rules.aggregate.aggregate(Scores(self.board.systems, of_users, counts, n_ratings, users)))


def _refuse_unless_averaged(board: Board) -> None:
    if board.rules.view != "full":
        raise DesignError(
            "the rankings are condensed to judged items, so that it is not known how many candidates stand above a relevant one",
            allowed="view: full",
        )
    if not board.rules.aggregate.averages_values:
        raise DesignError(
            f"aggregate '{board.rules.aggregate.spec}' does not average users' values: it takes other values of samples on average "
            "than of their expectations",
            allowed="aggregates that average, such as mean",
        )
