"""Bootstrap test over users."""

from collections.abc import Iterator
from math import floor
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from recsens.arrays import Bools, Floats
from recsens.comparison.significance._base import FEWEST_USERS, Comparison, Pairs, TestOfPairs, pairs_by_users
from recsens.comparison.significance._mean_differences import (
    CONFIDENCE,
    describe_difference,
    differences,
    linearise,
    p_without_spread,
    t_interval,
    weighted_mean,
)
from recsens.seeds import Stream

_BLOCK = 64
"""Number of resamples handled together; it limits the memory for counts of how often each user is drawn."""

_NOISE = 1e-10
"""Two numbers are equal up to rounding if they are this close, relative to the largest of the users' differences or to t."""


class Bootstrap(TestOfPairs):
    """p = (1 + #{|t*| ≥ |t|}) / (1 + B): how often resamples of users, with differences shifted to mean zero, reach |t|.

    t and mean are those of the observed differences δ, t* and mean* those of one of B resamples. A user is drawn together with its
    weight. With unequal weights, mean and mean* are weighted, and a standard error is that of w_u (δ_u - mean) / w̄.
    ``method=shifted`` compares means instead of t. The interval contains the differences that the test would not reject: mean ± the
    quantile of |t*| times the standard error, or mean ± the quantile of |mean*|. It is infinite if too many resamples have no
    spread, or if B is too small for p below 1 - ``confidence``. All pairs over the same users get the same draws. If all
    differences are equal, p is 1 if they are zero, else 2^(1-n), but at least 1 / (1 + B). With fewer than six users, p and the
    interval are NaN, because so few users show too little of the distribution.
    """

    source = "Sakai (2006), Evaluating evaluation metrics based on the bootstrap; Efron & Tibshirani (1993), algorithm 16.2"
    fewest_users = FEWEST_USERS

    method: Literal["studentised", "shifted"] = Field("studentised", description="compare t (studentised) or the mean (shifted)")
    samples: int = Field(10_000, ge=1, le=10_000_000, description="number B of resamples of the users")
    confidence: float = CONFIDENCE
    linearises: ClassVar[bool] = True
    tests_mean: ClassVar[bool] = True

    def prose(self) -> str:
        """Name the test and the number of its resamples."""
        mean = "studentised mean" if self.method == "studentised" else "mean"
        return (
            "Differences between systems were tested with a bootstrap test over users: the users' differences were shifted to mean "
            f"zero and resampled {self.samples:,} times, and the {mean}s of these resamples were compared with the observed {mean}."
        )

    def compare_pairs(
        self,
        values: Floats,
        counts: Bools,
        pairs: Pairs,
        stream: Stream,
        weights: Floats | None = None,
        offsets: Floats | None = None,
    ) -> list[Comparison]:
        """Compare all pairs over the same users on the same resamples."""
        values = values if offsets is None else values - offsets
        comparisons: dict[int, Comparison] = {}
        for users, indices in pairs_by_users(counts, pairs):
            first, second = np.array([pairs[index] for index in indices]).T
            deltas = differences(values[np.ix_(first, users)], values[np.ix_(second, users)])
            spread = deltas.max(axis=1, initial=-np.inf) > deltas.min(axis=1, initial=np.inf)
            spread &= deltas.shape[1] >= self.fewest_users
            varied = [index for index, has_spread in zip(indices, spread, strict=True) if has_spread]
            own = None if weights is None or not users.any() or np.ptp(weights[users]) == 0 else weights[users]
            comparisons |= {at: self._compare_equal(linearise(delta, own)) for at, delta in zip(indices, deltas, strict=True)}
            if varied:
                comparisons |= dict(zip(varied, self._compare_resampled(deltas[spread], own, stream), strict=True))
        return [comparisons[index] for index in range(len(pairs))]

    def hypothesis(self, statistic: str, differences: str) -> str:
        """State that the mean is 0."""
        return f"{statistic} is 0"

    def _compare_equal(self, delta: Floats) -> Comparison:
        p_value = max(p_without_spread(delta), 1 / (1 + self.samples)) if len(delta) >= self.fewest_users else float("nan")
        return describe_difference(delta, p_value, t_interval(delta, self.confidence))

    def _compare_resampled(self, deltas: Floats, weights: Floats | None, stream: Stream) -> list[Comparison]:
        """Compare pairs whose differences vary, shape (n_pairs, n_users)."""
        n = deltas.shape[1]
        shares = None if weights is None else weights / weights.mean()
        linear = np.stack([linearise(delta, weights) for delta in deltas])
        means = linear.mean(axis=1) if weights is None else np.array([weighted_mean(delta, weights) for delta in deltas])
        shifted = np.ascontiguousarray((deltas - means[:, np.newaxis]).T)
        scales = np.abs(shifted if shares is None else shifted * shares[:, np.newaxis]).max(axis=0)
        errors = linear.std(axis=1, ddof=1) / np.sqrt(n) if self.method == "studentised" else np.ones(len(means))
        observed = np.abs(means) / errors
        drawn = (self._resampled_statistics(numbers, shifted, shares, scales) for numbers in _draw_counts(stream, n, self.samples))
        # The observed differences count as one more resample, which is as far as any bound: p is never 0.
        distances = np.concatenate([np.full((1, len(means)), np.inf), *drawn])
        noise = _NOISE * (1 + observed if self.method == "studentised" else scales)
        p_values = (distances >= observed - noise).mean(axis=0)
        reach = errors * np.sort(distances, axis=0)[floor(self.confidence * len(distances))]
        return [
            describe_difference(row, float(p), (float(mean - half), float(mean + half)))
            for row, p, mean, half in zip(linear, p_values, means, reach, strict=True)
        ]

    def _resampled_statistics(self, drawn: Floats, shifted: Floats, shares: Floats | None, scales: Floats) -> Floats:
        """Return |mean*| or |t*| of each resample and pair. Without spread, t* is 0 if the mean is 0, and otherwise infinite.

        ``shares`` contains the users' weights as multiples of their mean; None means that all are 1.
        """
        n = len(shifted)
        means, sums = _resampled_moments(drawn, shifted, shares)
        distances = np.abs(means)
        if self.method == "shifted":
            return np.asarray(distances)
        variances = sums / (n - 1)
        distances[distances < _NOISE * scales] = 0.0
        has_spread = variances > _NOISE * scales**2 / n
        errors = np.sqrt(np.where(has_spread, variances, 1.0) / n)
        return np.where(has_spread, distances / errors, np.where(distances > 0, np.inf, 0.0))


def _resampled_moments(drawn: Floats, shifted: Floats, shares: Floats | None) -> tuple[Floats, Floats]:
    """Return the mean of each resample and pair, and the sum of squares for its standard error.

    If user u is drawn c_u times, and n is the number of draws, mean* = Σ c w x / Σ c w, and the sum of squares is Σ c (w
    (x - mean*) / w̄*)² with w̄* = Σ c w / n.
    """
    n = len(shifted)
    if shares is None:
        means = drawn @ shifted / n
        return means, drawn @ shifted**2 - n * means**2
    weighted = shifted * shares[:, np.newaxis]
    totals = (drawn @ shares)[:, np.newaxis]
    means = drawn @ weighted / totals
    crossed, own = drawn @ (weighted * shares[:, np.newaxis]), (drawn @ shares**2)[:, np.newaxis]
    return means, (drawn @ weighted**2 - 2 * means * crossed + means**2 * own) / (totals / n) ** 2


def _draw_counts(stream: Stream, n_users: int, samples: int) -> Iterator[Floats]:
    """Return how often each user is drawn, shape (at most 64 resamples, n_users)."""
    for start in range(0, samples, _BLOCK):
        rows = np.arange(start, min(start + _BLOCK, samples))[:, np.newaxis]
        users = (stream.uniform(rows, np.arange(n_users)) * n_users).astype(np.int64)
        cells = users + (rows - start) * n_users
        yield np.bincount(cells.ravel(), minlength=len(rows) * n_users).reshape(len(rows), n_users).astype(np.float64)
