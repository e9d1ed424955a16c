"""Expected values of sampled metrics and of systems under 1R, in closed form, for any number of negatives."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, ClassVar

import numpy as np
from pydantic import AfterValidator, Field
from scipy.linalg import solve
from scipy.stats import kendalltau
from threadpoolctl import threadpool_limits

from recsens.arrays import Bools, Floats, Ids, Ints
from recsens.comparison.aggregation import Aggregate, UserMeasures, counted
from recsens.comparison.users import Population
from recsens.conclusions.meta._base import Finding, MetricAnalysis
from recsens.conclusions.meta._judged_rankings import Board
from recsens.errors import DesignError
from recsens.files.scale import Scale
from recsens.metrics import MeasuredAt, PlaceValues, fill_chance_table, fill_expected
from recsens.outcomes.rounding import rounded
from recsens.study import Decisions, MetricAnalysisTask
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
        pool = count_candidates(board, system)[user]
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


def count_candidates(board: Board, system: int) -> Ints:
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
        return self._mean_over_users(self._expected_over_draws(self.values.at, n))

    def full(self) -> Floats:
        """Return the values with all candidates as negatives."""
        return self._mean_over_users(self.values.at[self.above])

    def corrected(self, n: int, gamma: float) -> Floats:
        """Return the expected corrected values with n negatives; a rating all of whose candidates are drawn has its full value."""
        if not self.replacement and n >= self.largest_pool:
            return self.full()
        pool = self.mean_pool if self.replacement else max(self.mean_pool, n)
        of_pairs = self._expected_over_draws(corrected(self.values.at, pool, n, gamma, replacement=self.replacement), n)
        is_known = (self.pool <= n) & (not self.replacement)
        of_pairs[is_known] = self.values.at[self.above[is_known]]
        return self._mean_over_users(of_pairs)

    def auc(self) -> Floats:
        """Return each system's mean share of candidates ranked below the relevant item, shape (n_systems,); a miss counts as 0."""
        below = np.append(1 - self.above / self.pool, 0.0)  # The index -1 selects 0.
        return self._aggregate(np.stack([own.mean(below[pair]) for own, pair in zip(self.rivals, self.pair, strict=True)]))

    def _expected_over_draws(self, values: Floats, n: int) -> Floats:
        """Return each pair's mean ``values[H]``, where H of n drawn candidates are above the item; shape (n_pairs, n_columns)."""
        expected = np.empty((len(self.above), values.shape[1]))
        fill_expected(self.above, self.pool, n, self.replacement, values, expected)
        return expected

    def _mean_over_users(self, of_pairs: Floats) -> Floats:
        """Average the values of pairs over ratings and users. Metrics with the same values are averaged once."""
        columns = np.vstack([of_pairs, self.values.missed]).T.copy()
        alike, metric = np.unique(self.values.column, axis=0, return_inverse=True)
        totals = np.stack([self._aggregate(self._user_means(columns, of_levels)) for of_levels in alike])
        return np.asarray(totals[metric.ravel()])

    def _user_means(self, columns: Floats, of_levels: Ints) -> Floats:
        """Return each user's mean, shape (n_systems, n_users); ``of_levels`` has the index of each rating level's values."""
        is_graded = np.ptp(of_levels) > 0
        values = [
            columns[of_levels[own.level], pair] if is_graded else columns[of_levels[0]][pair]
            for own, pair in zip(self.rivals, self.pair, strict=True)
        ]
        return np.stack([own.mean(of_ratings) for own, of_ratings in zip(self.rivals, values, strict=True)])

    def _aggregate(self, of_users: Floats) -> Floats:
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
            fill_chance_table(start, pool, n, replacement, table)
            squares += table.T @ table
            sums += table.sum(axis=0)
            products += table.T @ values[start : start + len(table)]
        # The weight p(a) is the same in both sums, so it cancels.
        return np.ascontiguousarray(solve((1 - gamma) * squares + gamma * np.diag(sums), products, assume_a="pos"))


@dataclass(frozen=True)
class Dialled:
    """All systems' values on one metric.

    Attributes
    ----------
    metric
        The metric.
    systems
        Labels.
    negatives
        Numbers of negatives, ascending.
    expected, corrected
        Values with each number of negatives, shape (n_numbers, n_systems).
    full
        Values with all candidates as negatives, shape (n_systems,).
    n_ratings
        Number of relevant ratings in each system's mean.
    """

    metric: MeasuredAt
    systems: Sequence[str]
    negatives: Sequence[int]
    expected: Floats
    corrected: Floats
    full: Floats
    n_ratings: Sequence[int]

    def findings(self, pairs: Sequence[tuple[str, str]], largest_pool: int | None) -> list[Finding]:
        """Return all findings on these pairs; ``largest_pool`` is the full ranking's point on the axis, or None."""
        return [*self._values(), *self._agreement_findings(), *self._winners(pairs), *self._crossing_findings(pairs, largest_pool)]

    def _values(self) -> Iterator[Finding]:
        for system, (label, n) in enumerate(zip(self.systems, self.n_ratings, strict=True)):
            for name, values in (("expected", self.expected), ("corrected", self.corrected)):
                for at, value in zip(self.negatives, values[:, system], strict=True):
                    yield Finding(name, float(value), self.metric, at=at, system_a=label, n=n)
            yield Finding("full", float(self.full[system]), self.metric, system_a=label, n=n)

    def _agreement_findings(self) -> Iterator[Finding]:
        for name, values in (("agreement", self.expected), ("agreement_corrected", self.corrected)):
            for at, value in zip(self.negatives, values, strict=True):
                defined = ~np.isnan(value) & ~np.isnan(self.full)
                tau = kendalltau(value[defined], self.full[defined]).statistic if defined.sum() > 1 else np.nan
                yield Finding(name, float(rounded(tau)), self.metric, at=at, n=int(defined.sum()))

    def _winners(self, pairs: Sequence[tuple[str, str]]) -> Iterator[Finding]:
        leads = np.sign([self._lead(*pair) for pair in pairs]).reshape(len(pairs), len(self.negatives) + 1)
        decided = leads[leads[:, -1] != 0]
        same = decided[:, :-1] == decided[:, -1:]
        shares = same.mean(axis=0) if len(decided) else np.full(len(self.negatives), np.nan)
        for at, share in zip(self.negatives, shares, strict=True):
            yield Finding("same_winner", float(share), self.metric, at=at, n=len(decided))
        # With fewer negatives than the cut-off, every ranked item is within the cut-off, and most systems tie.
        reach = [self.metric.is_whole or n >= self.metric.cutoff for n in self.negatives]
        kept = float(rounded(shares[reach].mean())) if any(reach) else math.nan
        yield Finding("kept", kept, self.metric, n=len(decided))

    def _crossing_findings(self, pairs: Sequence[tuple[str, str]], largest_pool: int | None) -> Iterator[Finding]:
        numbers = [*self.negatives, *([] if largest_pool is None else [largest_pool])]
        for pair in pairs:
            leads = [(n, lead) for n, lead in zip(numbers, self._lead(*pair), strict=False) if lead != 0]
            for (low, before), (high, after) in pairwise(leads):
                if before * after < 0:
                    share = before / (before - after)
                    first, second = pair if before > 0 else pair[::-1]
                    number = float(low ** (1 - share) * high**share)
                    yield Finding("crossing", number, self.metric, at=high, system_a=first, system_b=second, low=low, high=high)

    def _lead(self, first: str, second: str) -> Floats:
        """Return the first system's lead for each number of negatives, then for all candidates; an undefined lead is 0."""
        values = np.vstack([self.expected, self.full])[:, [self.systems.index(first), self.systems.index(second)]]
        sign = 1 if self.metric.metric.higher_is_better else -1
        return np.nan_to_num(sign * (values[:, 0] - values[:, 1]))


_PROBED = 30
"""Number of positions at which metrics are tried when the study file is read."""


def _check_ascending(sizes: tuple[int, ...]) -> tuple[int, ...]:
    if not sizes or min(sizes) < 1 or list(sizes) != sorted(set(sizes)):
        raise ValueError("must be whole numbers of at least 1 in ascending order, such as [1,10,100]")
    return sizes


class Dial(MetricAnalysis):
    """E[m(T_u^r)], a metric m's expected value with one ranking per relevant test rating (1R) and n negatives, without sampling.

    For a relevant test rating r of user u, let a of the N candidates be ranked above its item. The candidates are the targets of u,
    ranked or not, without u's relevant test items. n of the candidates are drawn; H of these are above the item, with H ~
    Hypergeometric(N, a, n), or Binomial(n, a / N) with replacement. The value is g(1 + H), where g(k) is the metric's value for a
    ranking with one judged item, which is relevant and at position k. ``expected`` is Σ_h P(H = h) g(1 + h). With n = 1, Success@1
    is the AUC 1 - a / N. With n >= N and without replacement, the ranking is full. ``expected`` is the expectation of
    ``one_r(n=..)``. A relevant item that is not ranked is a miss. Candidates that are not ranked may be drawn, but are never above
    the item. A user with fewer than n candidates gets all of them. Ties are broken as in the study's rankings. Values are averaged
    over the ratings of the averaged users; every rating has the same weight (``mean``).

    ``corrected`` is the expectation of an estimate f̂(H) of the full metric from a sample. The estimate minimises bias² + γ
    variance with equal weight on all a: f̂ = ((1 - γ) AᵀA + γ diag c)⁻¹ Aᵀ b, A[a, h] = √p P(h | a), b[a] = √p g(1 + a), c[h] = Σ_a
    p P(h | a), p = 1 / (N + 1). As in the paper, N is one number: here the mean over ratings, rounded, or n if n is larger. If all
    candidates of a rating are drawn, the rating has its full value.

    The study must have one full ranking per user, as with the targets ``ar``. Some metrics are refused, because these formulas do
    not give their expectation: metrics that compare judged items (such as AUC), read predictions, or depend on the length of the
    ranking. For the same reason, aggregates other than averages are refused.
    """

    source: ClassVar[str] = (
        "Krichene & Rendle (2020), On sampled metrics for item recommendation, KDD; 1R: Bellogín (2012), equation 4.1"
    )
    quantities: ClassVar[dict[str, str]] = {
        "expected": "Expected value of a system with this number of negatives.",
        "full": "Value of a system with all candidates as negatives.",
        "auc": "Mean share of the candidates that a system ranks below the relevant item; 0 for an item that is not ranked.",
        "corrected": "Expected corrected value of a system: the full value as estimated from this number of negatives.",
        "agreement": "Kendall's tau-b between the orders of all systems with this number of negatives and with all negatives.",
        "agreement_corrected": (
            "Kendall's tau-b between the order of all systems by corrected values and their order with all negatives."
        ),
        "same_winner": (
            "Of the pairs of systems that differ with all negatives, the share with the same winner with this number of negatives."
        ),
        "kept": "Mean of same_winner over the numbers of negatives that reach the cut-off.",
        "crossing": (
            "Number of negatives at which the first system is overtaken by the second, by a straight line over log n between the "
            "last number with which the first system is ahead (low) and the first number with which it is behind (high)."
        ),
    }
    several: ClassVar[frozenset[str]] = frozenset(quantities) - {"kept"}
    drawn_by: ClassVar[str] = "dial"
    best_says: ClassVar[str] = "best keeps its winners with few negatives"
    headline: ClassVar[str] = "kept"
    not_averaged: ClassVar[frozenset[str]] = frozenset({"crossing"})
    axis: ClassVar[str] = "negatives per relevant rating"

    negatives: Annotated[tuple[int, ...], AfterValidator(_check_ascending)] = Field(
        (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000),
        description="numbers of negatives, ascending; the quantity `full` uses all candidates",
    )
    replacement: bool = Field(False, description="whether an item can be drawn twice")
    gamma: float = Field(0.1, gt=0, le=1, description="weight of the variance, relative to the bias, in corrected values")

    def check(self, task: MetricAnalysisTask) -> None:
        """Refuse metrics whose value is not a function of a single relevant item's position."""
        super().check(task)
        PlaceValues.of(task.metrics, _PROBED, np.array([np.nan]), Scale(), Scale().relevance)

    def check_design(self, design: Decisions) -> None:
        """Refuse rankings of ratings, condensed rankings, and aggregates that do not average."""
        super().check_design(design)
        refuse_unless_averaged(design.view, Aggregate.build(design.aggregate))

    def analyse(self, board: Board, task: MetricAnalysisTask) -> list[Finding]:
        """Compute expected and corrected values, and their effect on the order of systems.

        Raises
        ------
        DesignError
            If the rankings are condensed, if users' values are not averaged, if no rating is relevant, or if a user has only
            relevant candidates.
        """
        sampled = SampledBoard.of(board, task, max(self.negatives), replacement=self.replacement)
        full = sampled.full()
        expected = np.stack([sampled.expected(n) for n in self.negatives], axis=1)
        corrected = np.stack([sampled.corrected(n, self.gamma) for n in self.negatives], axis=1)
        n_ratings = [int(rivals.n_ratings[rivals.counts].sum()) for rivals in sampled.rivals]
        findings = [
            Finding("auc", float(value), system_a=label, n=n)
            for label, value, n in zip(board.systems, sampled.auc(), n_ratings, strict=True)
        ]
        for row, metric in enumerate(task.metrics):
            dialled = Dialled(metric, board.systems, self.negatives, expected[row], corrected[row], full[row], n_ratings)
            findings += dialled.findings(task.pairs, None if self.replacement else sampled.largest_pool)
        return findings
