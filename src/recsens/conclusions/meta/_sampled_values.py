"""Expected values of systems under 1R with any number of negatives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve
from threadpoolctl import threadpool_limits

from recsens.arrays import Bools, Floats, Ids, Ints
from recsens.comparison.aggregation import Aggregate, UserMeasures, counted
from recsens.comparison.users import Population
from recsens.conclusions.meta._judged_rankings import Board
from recsens.errors import DesignError
from recsens.metrics import PlaceValues, chance_table, expect
from recsens.outcomes.rounding import rounded
from recsens.study import MetricAnalysisTask
from recsens.vocabulary import Reading


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

    above: Ints
    pool: Ints
    user: Ids
    level: Ints
    n_ratings: Ints
    counts: Bools

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
        level, counts = np.searchsorted(levels, judged.rating[rows]), counted(admitted, listed, board.rules.coverage)
        return cls(above, pool, user, level, judged.n_relevant, counts)

    def mean(self, of_ratings: Floats) -> Floats:
        """Average each user's values over the user's ratings, shape (n_users,); 0 for a user without ratings."""
        sums = np.bincount(self.user, weights=of_ratings, minlength=len(self.n_ratings))
        return np.asarray(sums / np.maximum(self.n_ratings, 1))


def pools(board: Board, system: int) -> Ints:
    """Count each user's candidates, shape (n_users,): targets, ranked or not, minus relevant test items."""
    targets = board.ranked if board.targets is None else board.targets
    is_target = board.position[system] > 0 if board.is_target is None else board.is_target[system]
    relevant = np.bincount(board.user[board.is_relevant & is_target], minlength=board.n_users)
    return np.asarray(targets[system] - relevant)


_BLOCK = 4096
"""Rows of the table of chances that are in memory at a time."""


@dataclass(frozen=True)
class SampledBoard:
    """A board measured under 1R. Values have shape (n_metrics, n_systems) and are rounded to remove floating-point noise.

    Attributes
    ----------
    board
        The rankings.
    rivals
        For each system, the numbers of candidates above each relevant item.
    above, pool
        Distinct pairs of numbers, shape (n_pairs,): the number of rivals above a ranked item, and the number of all its rivals.
        Many ratings have the same pair of numbers.
    pair
        For each system, the index of each rating's pair of numbers; -1 if the item is not ranked.
    values
        Values of the metrics for a single relevant item.
    replacement
        Whether an item can be drawn twice.
    """

    board: Board
    rivals: tuple[Rivals, ...]
    above: Ints
    pool: Ints
    pair: tuple[Ints, ...]
    values: PlaceValues
    replacement: bool

    @classmethod
    def of(cls, board: Board, task: MetricAnalysisTask, most: int, *, replacement: bool) -> SampledBoard:
        """Prepare a board for up to ``most`` negatives.

        Raises DesignError if the rankings are condensed, if the aggregate is not a mean of users' values, if no rating is relevant,
        or if all candidates of a user are relevant.
        """
        refuse_unless_averaged(board.rules.view, board.rules.aggregate)
        if not board.is_relevant.any():
            raise DesignError(
                f"no test rating is relevant (at least {board.relevance:g}), so there is nothing to rank",
                remedy="lower 'relevance', or use a split whose test set has relevant ratings",
            )
        ratings = np.unique(board.rating[board.is_relevant])
        rivals = tuple(Rivals.of(board, system, ratings) for system in range(len(board.systems)))
        above, pool = (np.concatenate([getattr(own, name) for own in rivals]) for name in ("above", "pool"))
        most_above = int(above.max(initial=0)) + 1
        is_ranked = above >= 0
        distinct, number = np.unique(pool[is_ranked] * most_above + above[is_ranked], return_inverse=True)
        pair = np.full(len(above), -1, dtype=np.int64)
        pair[is_ranked] = number
        pool, above = np.divmod(distinct, most_above)
        depth = 1 + max(int(pool.max(initial=0)), most if replacement else 0)
        values = PlaceValues.of(task.metrics, depth, ratings, board.scale, board.relevance)
        ends = np.cumsum([len(own.above) for own in rivals])[:-1]
        return cls(board, rivals, above, pool, tuple(np.split(pair, ends)), values, replacement)

    @property
    def largest_pool(self) -> int:
        """The largest number of candidates for any ranked item; 0 if nothing is ranked."""
        return int(self.pool.max(initial=0))

    @property
    def mean_pool(self) -> int:
        """Mean number of candidates per rating over all systems, rounded."""
        pools = np.concatenate([own.pool for own in self.rivals])
        return round(float(pools.mean())) if len(pools) else 0

    def expected(self, n: int) -> Floats:
        """Return the expected values with n negatives."""
        return self._totals(self._drawn(self.values.at, n))

    def full(self) -> Floats:
        """Return the values with all candidates as negatives."""
        return self._totals(self.values.at[self.above])

    def corrected(self, n: int, gamma: float) -> Floats:
        """Return the expected corrected values with n negatives; a rating all of whose candidates are drawn has its full value."""
        if not self.replacement and n >= self.largest_pool:
            return self.full()
        pool = self.mean_pool if self.replacement else max(self.mean_pool, n)
        of_pairs = self._drawn(corrected(self.values.at, pool, n, gamma, replacement=self.replacement), n)
        is_known = (self.pool <= n) & (not self.replacement)
        of_pairs[is_known] = self.values.at[self.above[is_known]]
        return self._totals(of_pairs)

    def auc(self) -> Floats:
        """Return each system's mean share of candidates ranked below the relevant item, shape (n_systems,); a miss counts as 0."""
        below = np.append(1 - self.above / self.pool, 0.0)  # The index -1 selects 0.
        return self._total(np.stack([own.mean(below[pair]) for own, pair in zip(self.rivals, self.pair, strict=True)]))

    def _drawn(self, values: Floats, n: int) -> Floats:
        """Return each pair's mean ``values[H]``, where H of n drawn candidates are above the item; shape (n_pairs, n_columns)."""
        expected = np.empty((len(self.above), values.shape[1]))
        expect(self.above, self.pool, n, self.replacement, values, expected)
        return expected

    def _totals(self, of_pairs: Floats) -> Floats:
        """Average the values of pairs over ratings and users. Metrics with the same values are averaged once."""
        columns = np.vstack([of_pairs, self.values.missed]).T.copy()
        alike, metric = np.unique(self.values.column, axis=0, return_inverse=True)
        totals = np.stack([self._total(self._of_users(columns, of_levels)) for of_levels in alike])
        return np.asarray(totals[metric.ravel()])

    def _of_users(self, columns: Floats, of_levels: Ints) -> Floats:
        """Return each user's mean, shape (n_systems, n_users); ``of_levels`` has the index of each rating level's values."""
        is_graded = np.ptp(of_levels) > 0
        values = [
            columns[of_levels[own.level], pair] if is_graded else columns[of_levels[0]][pair]
            for own, pair in zip(self.rivals, self.pair, strict=True)
        ]
        return np.stack([own.mean(of_ratings) for own, of_ratings in zip(self.rivals, values, strict=True)])

    def _total(self, of_users: Floats) -> Floats:
        """Aggregate the users' values, shape (n_systems, n_users), weighted by the users' numbers of relevant ratings."""
        n_ratings = self.rivals[0].n_ratings.astype(np.float64)
        train, test = self.board.train, np.bincount(self.board.user, minlength=self.board.n_users)
        known = {"train": train.astype(np.float64), "test": test.astype(np.float64), "relevant": n_ratings}
        users = {**self.board.user_columns, **known}
        counts = np.stack([own.counts for own in self.rivals])
        return rounded(self.board.rules.aggregate.aggregate(UserMeasures(self.board.systems, of_users, counts, n_ratings, users)))


def refuse_unless_averaged(view: Reading, aggregate: Aggregate) -> None:
    """Raise DesignError if the decisions make the expected value of a sample unknown.

    Such decisions are condensed rankings, and aggregates that do not average users' values.
    """
    if view == "condensed":
        raise DesignError(
            "condensed rankings contain only judged items, and do not show how many candidates are above a relevant item",
            allowed="view: full",
        )
    if not aggregate.averages_values:
        raise DesignError(
            (
                f"aggregate '{aggregate.spec}' is not a mean of users' values, so its value for users' expected values is not its "
                "own expected value"
            ),
            allowed="aggregates that average, such as mean",
        )


def corrected(values: Floats, pool: int, n: int, gamma: float, *, replacement: bool) -> Floats:
    """Return f̂(h), the estimate of the full metric when h of n drawn candidates are above the item, shape (n + 1, n_columns).

    f̂ minimises E_a[(E[f̂(H) | a] - g(1 + a))² + γ Var(f̂(H) | a)], where every position 1 + a has the same weight: ``f̂ = ((1 - γ)
    AᵀA + γ diag(c))⁻¹ Aᵀ b`` with ``A[a, h] = √p(a) P(H = h | a)``, ``b[a] = √p(a) g(1 + a)``, ``c[h] = Σ_a p(a) P(H = h | a)`` and
    ``p(a) = 1 / (pool + 1)``, for a = 0 .. pool candidates above.

    Parameters
    ----------
    values
        ``values[a]`` is g(1 + a), shape (at least pool + 1, n_columns).
    pool
        Number of candidates; at least ``n`` without replacement.
    n
        Number of candidates drawn.
    gamma
        Weight of the variance, above 0 and at most 1.
    replacement
        Whether H is binomial, as in the paper, or hypergeometric.

    References
    ----------
    Krichene & Rendle (2020), On sampled metrics for item recommendation, KDD: the estimator with the bias-variance trade-off.
    """
    squares, sums, products = np.zeros((n + 1, n + 1)), np.zeros(n + 1), np.zeros((n + 1, values.shape[1]))
    # Use one thread, because the last bits of a matrix product depend on the number of threads.
    with threadpool_limits(limits=1, user_api="blas"):
        for start in range(0, pool + 1, _BLOCK):
            table = np.empty((min(_BLOCK, pool + 1 - start), n + 1))
            chance_table(start, pool, n, replacement, table)
            squares += table.T @ table
            sums += table.sum(axis=0)
            products += table.T @ values[start : start + len(table)]
        # The weight p(a) is the same in both sums, so it cancels.
        return np.ascontiguousarray(solve((1 - gamma) * squares + gamma * np.diag(sums), products, assume_a="pos"))
