"""The rivals of a relevant item: the candidates that are not relevant, and may be ranked above it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recsens.comparison.aggregation import counted
from recsens.comparison.users import Population
from recsens.conclusions.meta._judged_rankings import Board
from recsens.errors import DesignError

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Rivals:
    """For each relevant test item, how many of the user's non-relevant candidates one system ranks above the item.

    Attributes
    ----------
    above, pool
        Number of candidates above the item (-1 if the item is not ranked), and number of all candidates, shape (n_ratings,), int64.
    user, level
        User of each rating, and the index of the rating's value among all distinct values.
    n_ratings
        Number of each user's relevant ratings, shape (n_users,).
    counts
        Whether the user is averaged, shape (n_users,).
    """

    above: NDArray[np.int64]
    pool: NDArray[np.int64]
    user: NDArray[np.int32]
    level: NDArray[np.int64]
    n_ratings: NDArray[np.int64]
    counts: NDArray[np.bool_]

    @classmethod
    def of(cls, board: Board, system: int, levels: Floats) -> Rivals:
        """Count rivals from positions: the items above a relevant item, minus the relevant items among them.

        Raises DesignError if all candidates of a user are relevant.
        """
        judged = board.judged(system)
        rows = np.flatnonzero(judged.is_relevant)
        user, is_ranked = judged.user[rows], judged.position[rows] > 0
        pool = pools(board, system)[user]
        short = len(np.unique(user[is_ranked & (pool == 0)]))
        if short:
            raise DesignError(
                f"{short:,} user{'s have' if short > 1 else ' has'} only relevant candidates, so there is nothing to sample",
                allowed="at least one non-relevant candidate for every user, which 'targets: one_r' needs too",
                remedy="filter out users with very many ratings",
            )
        above = np.where(is_ranked, judged.position[rows] - 1 - judged.relevant_above[rows], -1)
        assert (above <= pool).all(), "more candidates above an item than there are"
        # Under 1R, a ranking contains the ranked candidates and one relevant item.
        listed = board.ranked[system] - np.bincount(user[is_ranked], minlength=board.n_users)
        population = Population(train=board.train, test=judged.n_judged, relevant=judged.n_relevant, listed=listed)
        admitted = board.rules.users.admit(population) & (judged.n_relevant > 0)
        return cls(
            above,
            pool,
            user,
            np.searchsorted(levels, judged.rating[rows]),
            judged.n_relevant,
            counted(admitted, listed, board.rules.coverage),
        )

    def mean(self, of_ratings: Floats) -> Floats:
        """Average each user's values over the user's ratings, shape (n_users,); 0 for a user without ratings."""
        sums = np.bincount(self.user, weights=of_ratings, minlength=len(self.n_ratings))
        return np.asarray(sums / np.maximum(self.n_ratings, 1))

    @property
    def n_averaged(self) -> int:
        """Number of relevant ratings of the averaged users."""
        return int(self.n_ratings[self.counts].sum())


def pools(board: Board, system: int) -> NDArray[np.int64]:
    """Count each user's candidates, shape (n_users,): targets, ranked or not, minus relevant test items."""
    targets = board.ranked if board.targets is None else board.targets
    is_target = board.position[system] > 0 if board.is_target is None else board.is_target[system]
    relevant = np.bincount(board.user[board.is_relevant & is_target], minlength=board.n_users)
    return np.asarray(targets[system] - relevant)
