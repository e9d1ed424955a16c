"""Test pairs of systems on many samples of users; a sample may also swap the two values of some users."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from recsens.comparison.significance import SignificanceTest
from recsens.comparison.significance.t import T
from recsens.outcomes.paired import Paired
from recsens.outcomes.rounding import rounded
from recsens.seeds import Stream

Floats = NDArray[np.float64]
Signs = NDArray[np.int8]
"""One row per sample, shape (n_samples, n_users): 1 for a user in the sample, -1 for a user whose two values are swapped,
and 0 for all others.
"""

_SAMPLES, _PAIRS = 128, 64
"""Largest number of samples, and of pairs, that are computed together, to bound memory."""

_NOISE = 1e-10
"""Sums cannot distinguish a variance from zero if it is below this share of the square of the largest difference."""


def compare_samples(
    test: SignificanceTest, paired: Paired, pairs: Sequence[tuple[int, int]], signs: Signs, stream: Stream
) -> tuple[Floats, Floats]:
    """Compare all pairs on each sample; return the users' mean differences and the p-values, both of shape (n_samples, n_pairs).

    A t-test is computed from sums over users, for all samples in one matrix product; any other test is run sample by sample.
    """
    if not pairs:
        return np.empty((len(signs), 0)), np.empty((len(signs), 0))
    if not (isinstance(test, T) and not test.log):
        of_samples = [_one_by_one(test, paired, pairs, row, stream.child(nth)) for nth, row in enumerate(signs)]
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
                [means[at]], [p_values[at]] = _one_by_one(test, paired, [pairs[at[1]]], signs[at[0]], stream)
    return means, p_values


def blocks(n_samples: int) -> Iterator[slice]:
    """Divide samples into blocks, to bound memory."""
    return (slice(start, min(start + _SAMPLES, n_samples)) for start in range(0, n_samples, _SAMPLES))


def differing(paired: Paired, pairs: Sequence[tuple[int, int]]) -> list[bool]:
    """Return for each pair whether any user's values differ."""
    return [bool(rounded(paired.values[a] - paired.values[b])[paired.counts[a] & paired.counts[b]].any()) for a, b in pairs]


def _one_by_one(
    test: SignificanceTest, paired: Paired, pairs: Sequence[tuple[int, int]], signs: NDArray[np.int8], stream: Stream
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
    def of(cls, paired: Paired, pairs: Sequence[tuple[int, int]]) -> _Differences:
        first, second = np.array(pairs).T
        both = (paired.counts[first] & paired.counts[second]).T
        delta = np.where(both, rounded(paired.values[first] - paired.values[second]).T, 0.0)
        weights = None if paired.weights is None else (paired.weights / paired.weights.mean())[:, np.newaxis]
        counts = both[:, :1] if (both == both[:, :1]).all() else both
        return cls(counts.astype(np.float64), delta, weights)

    def t_test(self, signs: Signs) -> tuple[Floats, Floats, NDArray[np.bool_]]:
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
