"""Whether other users would have led to the same conclusions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, Field
from scipy import special

from recsens.arrays import Bools, Floats
from recsens.comparison.aggregation import Aggregate, UserMeasures
from recsens.comparison.significance import Pairs, SignificanceTest
from recsens.comparison.significance.t import T
from recsens.conclusions.meta._agreement_curves import average_finding
from recsens.conclusions.meta._base import Finding, MetricAnalysis
from recsens.conclusions.meta._judged_rankings import Board, board_rows, check_gives_p, check_pairs, swaps_of, values_to_compare
from recsens.errors import SpecError
from recsens.outcomes.paired import Paired
from recsens.outcomes.rounding import rounded
from recsens.outcomes.winner import NOBODY, Side, ahead, better, decide
from recsens.plugins import component
from recsens.plugins.specs import Spec
from recsens.ranking.targets import Targets
from recsens.seeds import Stream
from recsens.study import Decisions, MetricAnalysisTask

Signs = NDArray[np.int8]
"""One row per sample, shape (n_samples, n_users): 1 for a user in the sample, -1 for a user whose two values are swapped,
and 0 for all others.
"""

_SAMPLES, _PAIRS = 128, 64
"""Largest number of samples, and of pairs, that are computed together, to bound memory."""

_NOISE = 1e-10
"""Sums cannot distinguish a variance from zero if it is below this share of the square of the largest difference."""


def compare_samples(test: SignificanceTest, paired: Paired, pairs: Pairs, signs: Signs, stream: Stream) -> tuple[Floats, Floats]:
    """Compare all pairs on each sample; return the users' mean differences and the p-values, both of shape (n_samples, n_pairs).

    A t-test is computed from sums over users, for all samples in one matrix product; any other test is run sample by sample.
    """
    if not pairs:
        return np.empty((len(signs), 0)), np.empty((len(signs), 0))
    if not (isinstance(test, T) and not test.log):
        of_samples = [_compare_one_by_one(test, paired, pairs, row, stream.child(nth)) for nth, row in enumerate(signs)]
        return np.stack([means for means, _ in of_samples]), np.stack([p_values for _, p_values in of_samples])
    means, p_values = (np.empty((len(signs), len(pairs))) for _ in range(2))
    for left in range(0, len(pairs), _PAIRS):
        some = pairs[left : left + _PAIRS]
        columns = slice(left, left + len(some))
        differences = _Differences.of(paired, some)
        for rows in blocks(len(signs)):
            means[rows, columns], p_values[rows, columns], unsure = differences.t_test(signs[rows])
            for row, column in zip(*np.nonzero(unsure), strict=True):
                at = rows.start + row, left + column
                [means[at]], [p_values[at]] = _compare_one_by_one(test, paired, [pairs[at[1]]], signs[at[0]], stream)
    return means, p_values


def blocks(n_samples: int) -> Iterator[slice]:
    """Divide samples into blocks, to bound memory."""
    return (slice(start, min(start + _SAMPLES, n_samples)) for start in range(0, n_samples, _SAMPLES))


def pairs_that_differ(paired: Paired, pairs: Pairs) -> list[bool]:
    """Return for each pair whether any user's values differ."""
    return [bool(rounded(paired.values[a] - paired.values[b])[paired.counts[a] & paired.counts[b]].any()) for a, b in pairs]


def _compare_one_by_one(
    test: SignificanceTest, paired: Paired, pairs: Pairs, signs: NDArray[np.int8], stream: Stream
) -> tuple[Floats, Floats]:
    first, second = np.array(pairs).T
    swapped = signs < 0
    a, b = paired.values[first], paired.values[second]
    values = np.stack([np.where(swapped, b, a), np.where(swapped, a, b)], axis=1).reshape(-1, len(signs))
    both = paired.counts[first] & paired.counts[second] & (signs != 0)
    own = [(2 * nth, 2 * nth + 1) for nth in range(len(pairs))]
    comparisons = test.compare_pairs(values, both.repeat(2, axis=0), own, stream, paired.weights)
    return np.array([comparison.difference for comparison in comparisons]), np.array(
        [comparison.p_value for comparison in comparisons]
    )


@dataclass(frozen=True)
class _Differences:
    """The users' differences between two systems, one column per pair.

    Attributes
    ----------
    counts
        Whether a user counts for both systems, shape (n_users, n_pairs); a single column if the same users count for all pairs.
    delta
        First system minus second, 0 if the user does not count, shape (n_users, n_pairs).
    weights
        Each user's weight, divided by the mean weight, shape (n_users, 1); None if weights are equal.
    """

    counts: Floats
    delta: Floats
    weights: Floats | None

    @classmethod
    def of(cls, paired: Paired, pairs: Pairs) -> _Differences:
        first, second = np.array(pairs).T
        both = (paired.counts[first] & paired.counts[second]).T
        delta = np.where(both, rounded(paired.values[first] - paired.values[second]).T, 0.0)
        weights = None if paired.weights is None else (paired.weights / paired.weights.mean())[:, np.newaxis]
        counts = both[:, :1] if (both == both[:, :1]).all() else both
        return cls(counts.astype(np.float64), delta, weights)

    def t_test(self, signs: Signs) -> tuple[Floats, Floats, Bools]:
        """Return means, p-values, and whether the variance is too small to compute from sums; shape (n_samples, n_pairs).

        With the weights w, m = Σ w δ / Σ w and t = m / (s / √n), s² = Σ (w (δ - m) / w̄)² / (n - 1): the test `T`, computed from
        sums of powers.
        """
        signed = signs.astype(np.float64)
        kept = np.abs(signed)
        kept = kept[:1] if (kept == kept[0]).all() else kept
        n = kept @ self.counts
        weighted = self.delta if self.weights is None else self.weights * self.delta
        d, dd = signed @ weighted, kept @ weighted**2
        if self.weights is None:
            w, ww, wd = n, n, d
        else:
            w, ww = kept @ (self.weights * self.counts), kept @ (self.weights**2 * self.counts)
            wd = signed @ (self.weights * weighted)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = d / w
            variance = (dd - 2 * mean * wd + mean**2 * ww) * (n / w) ** 2 / (n - 1)
            has_spread = variance > _NOISE * np.abs(weighted).max(axis=0) ** 2
            t = mean / np.sqrt(np.where(has_spread, variance, np.nan) / n)
            p_value = 2 * special.stdtr(n - 1, -np.abs(t))
        # If all differences are zero, the sums are exactly zero too.
        differs = np.broadcast_to(dd > 0, mean.shape)
        enough = np.broadcast_to(n >= T.fewest_users, mean.shape)
        p_value = np.where(enough, np.where(differs, p_value, 1.0), np.nan)
        return mean, p_value, enough & differs & ~has_spread


_CONFIDENCE = 0.95


class SplitHalf(MetricAnalysis):
    """Shares of pairs of systems with a winner in both random halves of the users, in only one half, or in neither.

    In each sample, the averaged users are split at random into two halves, and each half is tested separately. If the number of
    users is odd, the second half has one user more. A half decides for a system (the system wins in it) by the rule of a study: the
    system has the better value, the users' differences favour it, and p < alpha. With only half of the users, a half decides less
    often than the whole study. ``false_alarms`` measures the error of the test. In each sample, a coin decides for each user
    whether the two systems' values are swapped, so all remaining differences are due to chance. Pairs without a difference for any
    user are left out, because a swap does not change them. All metrics use the same coins and, if they count the same users, the
    same halves. Users keep their weights, and no system is fitted again. Each share is the mean over samples of the share over
    pairs, with the 95 % Student interval over samples, cut to [0, 1]. Samples share users, so the interval covers only the error
    from a limited number of samples. A randomisation test has false alarms close to alpha by construction. A t-test takes seconds
    per metric; any other test is run three times per sample.

    ``error_rate`` and ``ties`` use no test: two values tie if they differ by at most ``fuzziness`` times the larger. In n_a of a
    pair's halves one system has the better value, in n_b the other, and in n_= neither; over all pairs, the error rate is
    Σ min(n_a, n_b) / Σ (n_a + n_b + n_=), and the share of ties Σ n_= / Σ (n_a + n_b + n_=).
    """

    source = (
        "Sanderson & Zobel (2005), on agreement of halves of topics; for swaps, Fisher (1935); Buckley & Voorhees (2000), "
        "'Evaluating evaluation measure stability', for error_rate, ties and fuzziness"
    )
    also_called = ("split_halves", "swap_method")
    quantities: ClassVar[dict[str, str]] = {
        "same": "share of samples and pairs in which both halves decide, for the same system",
        "opposite": "share of samples and pairs in which both halves decide, for different systems",
        "one_decides": "share of samples and pairs in which one half decides and the other does not",
        "none_decides": "share of samples and pairs in which neither half decides",
        "same_sign": "share of samples and pairs in which the users of both halves favour the same system, whatever p is",
        "false_alarms": "share of samples and pairs with p below alpha when a coin swaps the two systems of each user",
        "error_rate": "share of halves and pairs in which the system leads that leads in fewer halves; ties count for neither",
        "ties": "share of halves and pairs in which two systems' values differ by no more than the fuzziness",
    }
    sampled: ClassVar[str] = "random halves of the users"
    best_says: ClassVar[str] = "most often gives both halves of the users the same winner"
    less_is_better: ClassVar[frozenset[str]] = frozenset({"opposite", "one_decides", "none_decides", "error_rate", "ties"})
    undirected: ClassVar[frozenset[str]] = frozenset({"false_alarms"})
    headline: ClassVar[str] = "same"
    judges_ratings: ClassVar[bool] = True

    samples: int = Field(1000, ge=1, le=10_000, description="number of random halves, and of random swaps")
    test: Annotated[Spec, *component("test"), AfterValidator(check_gives_p)] = Field(
        Spec("t"), description="the test of each pair of systems; it must give a p-value"
    )
    fuzziness: float = Field(
        0.05, ge=0, lt=1, description="two values count as equal if they differ by no more than this share of the larger"
    )

    def check(self, task: MetricAnalysisTask) -> None:
        """Refuse metrics without a value per user, and a study without pairs."""
        super().check(task)
        check_pairs(task)

    def check_design(self, design: Decisions) -> None:
        """Refuse percentiles (P1R), whose means would be those of each half."""
        super().check_design(design)
        if (targets := Targets.build(design.targets)).n_groups > 1:
            raise SpecError(f"targets '{targets.spec}' average over percentiles, which halves of the users do not share")

    def analyse(self, board: Board, task: MetricAnalysisTask) -> list[Finding]:
        """Test all pairs in both halves of each sample, and with swapped systems, on each metric."""
        test = SignificanceTest.build(self.test)
        pairs = board_rows(board, task.pairs)
        a, b = np.array(pairs).T
        swaps = swaps_of(board.n_users, task.stream.child("swap"), range(self.samples))
        findings: list[Finding] = []
        known: dict[bytes, tuple[Signs, Signs]] = {}
        for measured, scores, paired in values_to_compare(board, task.metrics, "Halves of the users"):
            direction = 1 if measured.metric.higher_is_better else -1
            favoured, won, of_halves, users = [], [], [], np.asarray(paired.counts.any(axis=0))
            if users.tobytes() not in known:
                known = {users.tobytes(): halves_of(users, task.stream.child("half"), self.samples)}
            for nth, half in enumerate(known[users.tobytes()]):
                means, p_values = compare_samples(test, paired, pairs, half, task.stream.child("half", nth))
                values = values_in(half, board.rules.aggregate, scores, paired)
                of_halves.append(values)
                favoured.append(ahead(rounded(means), direction))
                has_better = better(values[:, a], values[:, b], direction)
                won.append(decide(has_better, favoured[nth], p_values, task.alpha).winner)
            shares = _halves_agree(*won) | {"same_sign": (favoured[0] == favoured[1]) & (favoured[0] != NOBODY)}
            differing_pairs = [pair for pair, differs in zip(pairs, pairs_that_differ(paired, pairs), strict=True) if differs]
            _, p_values = compare_samples(test, paired, differing_pairs, swaps, task.stream.child("swap"))
            shares["false_alarms"] = p_values < task.alpha
            for quantity, of_samples in shares.items():
                by_sample = of_samples.mean(axis=1) if of_samples.size else np.empty(0)
                findings.append(average_finding(quantity, by_sample, measured, least=0.0))
            for quantity, value in zip(
                ("error_rate", "ties"), fuzzy_error_rate(np.concatenate(of_halves), pairs, self.fuzziness), strict=True
            ):
                findings.append(Finding(quantity, value, measured, n=self.samples))
        return findings


def _halves_agree(first: Side, second: Side) -> dict[str, Bools]:
    """Return, for each sample and pair, whether both halves decide (alike or not), one half decides, or none does."""
    both, none = (first != NOBODY) & (second != NOBODY), (first == NOBODY) & (second == NOBODY)
    return {
        "same": both & (first == second),
        "opposite": both & (first != second),
        "one_decides": ~both & ~none,
        "none_decides": none,
    }


def fuzzy_error_rate(values: Floats, pairs: Pairs, fuzziness: float) -> tuple[float, float]:
    """Return Buckley and Voorhees' error rate and share of ties; NaN without values.

    ``values`` has shape (n_halves, n_systems).
    """
    first, second = np.array(pairs).T
    a, b = rounded(values[:, first]), rounded(values[:, second])
    is_tied = np.abs(a - b) <= fuzziness * np.maximum(np.abs(a), np.abs(b))
    better_a, better_b = ((a > b) & ~is_tied).sum(axis=0), ((a < b) & ~is_tied).sum(axis=0)
    n = (better_a + better_b + is_tied.sum(axis=0)).sum()
    return (float(np.minimum(better_a, better_b).sum() / n), float(is_tied.sum() / n)) if n else (np.nan, np.nan)


def halves_of(counted: Bools, stream: Stream, samples: int) -> tuple[Signs, Signs]:
    """Split the counted users, shape (n_users,), into halves in each sample; the second half has the odd user, if any.

    A user's draw depends only on the stream, the sample, the user and the other counted users.
    """
    users, half = np.flatnonzero(counted), int(counted.sum()) // 2
    first = np.zeros((samples, len(counted)), dtype=np.int8)
    for sample in range(samples if half else 0):
        hashes = stream.hashes(sample, users)
        first[sample, users] = hashes < np.partition(hashes, half)[half]
    return first, counted.astype(np.int8) - first


def values_in(half: Signs, aggregate: Aggregate, scores: UserMeasures, paired: Paired) -> Floats:
    """Return each system's value in each half, shape (n_samples, n_systems)."""
    if not aggregate.averages_values:
        return np.stack([aggregate.aggregate(replace(scores, counts=scores.counts & (row > 0))) for row in half])
    weights = paired.counts * (1.0 if paired.weights is None else paired.weights)
    sums = (weights * np.where(paired.counts, paired.values, 0.0)).T
    values = np.empty((len(half), len(scores.systems)))
    for rows in blocks(len(half)):
        chosen = half[rows].astype(np.float64)
        with np.errstate(invalid="ignore"):  # NaN if no user of a half counts for a system.
            values[rows] = chosen @ sums / (chosen @ weights.T)
    return values
