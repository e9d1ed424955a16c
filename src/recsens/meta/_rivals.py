"""The rivals of a relevant item: the non-relevant candidates that may be ranked above it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recsens.aggregation import counted
from recsens.errors import DesignError
from recsens.meta._board import Board
from recsens.meta._place_values import PlaceValues
from recsens.meta._sampling_kernels import expect
from recsens.users import Population

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Rivals:
    """Where one system ranks each relevant test rating among the candidates of its user that are not relevant.

    Many ratings share their two numbers, so that each pair of them is kept once.

    Attributes
    ----------
    above, pool
        Number of candidates ranked above the item, and of all candidates, of each pair, shape (n_pairs,), int64.
    pair
        Pair of each rating, -1 where the item is not ranked, shape (n_ratings,).
    user, level
        User of each rating, and the number of its rating among all distinct ones.
    n_ratings
        Relevant ratings of each user, shape (n_users,).
    counts
        Whether the user is averaged, shape (n_users,).
    """

    above: NDArray[np.int64]
    pool: NDArray[np.int64]
    pair: NDArray[np.int64]
    user: NDArray[np.int32]
    level: NDArray[np.int64]
    n_ratings: NDArray[np.int64]
    counts: NDArray[np.bool_]

    @classmethod
    def of(cls, board: Board, system: int, levels: Floats) -> Rivals:
        """Count them from the positions: those above an item less the relevant ones among them.

        Raises
        ------
        DesignError
            If a user has no candidate beside relevant items.
        """
        judged = board.judged(system)
        rows = np.flatnonzero(judged.is_relevant)
        user, position = judged.user[rows], judged.position[rows]
        pool, is_ranked = pools(board, system)[user], position > 0
        short = np.unique(user[is_ranked & (pool == 0)])
        if len(short):
            raise DesignError(
                f"{len(short):,} user{'s have' if len(short) > 1 else ' has'} no candidate that is not relevant, so that there is "
                "nothing to sample",
                allowed="at least one for every user, as one_r asks",
                remedy="filter users with very many ratings",
            )
        above = position - 1 - judged.relevant_above[rows]
        assert (above <= pool)[is_ranked].all(), "more candidates above an item than there are"
        pairs, pair = np.unique(np.stack([above, pool])[:, is_ranked], axis=1, return_inverse=True)
        of_rating = np.full(len(rows), -1, dtype=np.int64)
        of_rating[is_ranked] = pair.ravel()
        return cls(
            *np.ascontiguousarray(pairs),
            of_rating,
            user,
            np.searchsorted(levels, judged.rating[rows]),
            judged.n_relevant,
            _counted(board, system, judged.n_judged, judged.n_relevant, _n_ranked(board, system, user, is_ranked)),
        )

    def drawn(self, values: Floats, n: int, *, replacement: bool) -> Floats:
        """Return the mean of ``values[H]`` for each pair, H of n drawn candidates being above, shape (n_pairs, n_columns)."""
        expected = np.empty((len(self.above), values.shape[1]))
        expect(self.above, self.pool, n, replacement, values, expected)
        return expected

    def by_user(self, of_pairs: Floats, values: PlaceValues) -> Floats:
        """Average over each user's ratings, shape (n_metrics, n_users); 0 for a user without any."""
        with_missed = np.vstack([of_pairs, values.missed])  # the pair -1
        return np.stack([self.mean(with_missed[self.pair, columns[self.level]]) for columns in values.column])

    def mean(self, of_ratings: Floats) -> Floats:
        """Average a value of each rating over each user's ratings, shape (n_users,); 0 for a user without any."""
        sums = np.bincount(self.user, weights=of_ratings, minlength=len(self.n_ratings))
        return np.asarray(sums / np.maximum(self.n_ratings, 1))

    @property
    def n_averaged(self) -> int:
        """Number of relevant ratings of the users averaged."""
        return int(self.n_ratings[self.counts].sum())


def pools(board: Board, system: int) -> NDArray[np.int64]:
    """Count each user's candidates: targets, ranked or not, less relevant test items, shape (n_users,)."""
    targets = board.ranked if board.targets is None else board.targets
    is_target = board.position[system] > 0 if board.is_target is None else board.is_target[system]
    relevant = np.bincount(board.user[board.is_relevant & is_target], minlength=board.n_users)
    return np.asarray(targets[system] - relevant)


def _n_ranked(board: Board, system: int, user: NDArray[np.int32], is_ranked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Count each user's candidates that are ranked: what its rankings under 1R draw from."""
    return np.asarray(board.ranked[system] - np.bincount(user[is_ranked], minlength=board.n_users))


def _counted(
    board: Board, system: int, n_judged: NDArray[np.int64], n_relevant: NDArray[np.int64], listed: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Say who is averaged under 1R: nobody without a relevant rating."""
    population = Population(train=board.train, test=n_judged, relevant=n_relevant, listed=listed)
    admitted = board.rules.users.admit(population) & (n_relevant > 0)
    return counted(admitted, listed, board.rules.coverage)
