"""Bootstrap test over users."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.seeds import Stream
from recsens.significance._base import Comparison, SignificanceTest
from recsens.significance._groups import by_users
from recsens.significance._paired import CONFIDENCE, described, differences, t_interval

_BLOCK = 64
"""Resamples handled together, which bounds the memory of how often each user is drawn."""

_NOISE = 1e-10
"""Share of the largest difference, or of t, below which two numbers are one: what rounding leaves of a tie."""


class Bootstrap(SignificanceTest):
    """How often resampled users, their differences shifted to mean zero, bring |t*| to the observed |t|: p = # / B.

    ``method=shifted`` compares means in place of t. The interval holds the differences that the test would not reject: mean ± the
    quantile of |t*| times the standard error, or of |mean*|; infinite where too many resamples of few users have no spread. The
    users drawn are the same for all pairs over the same users. All differences equal: p is 1 if they are zero, else 0. Fewer than
    two users: NaN.
    """

    source = "Sakai (2006), Evaluating evaluation metrics based on the bootstrap; Efron & Tibshirani (1993), algorithm 16.2"

    method: Literal["studentised", "shifted"] = Field("studentised", description="whether t or the mean is compared")
    samples: int = Field(10_000, ge=1, le=10_000_000, description="resamples of the users, B")
    confidence: float = CONFIDENCE

    def compare(self, a: NDArray[np.float64], b: NDArray[np.float64], stream: Stream) -> Comparison:
        """Compare one pair."""
        return self.compare_pairs(np.stack([a, b]), np.ones((2, len(a)), dtype=np.bool_), [(0, 1)], stream)[0]

    def compare_pairs(
        self, values: NDArray[np.float64], counts: NDArray[np.bool_], pairs: Sequence[tuple[int, int]], stream: Stream
    ) -> list[Comparison]:
        """Compare all pairs over the same users on the same resamples."""
        found: dict[int, Comparison] = {}
        for users, places in by_users(counts, pairs):
            first, second = np.array([pairs[place] for place in places]).T
            deltas = differences(values[np.ix_(first, users)], values[np.ix_(second, users)])
            spread = deltas.max(axis=1, initial=-np.inf) > deltas.min(axis=1, initial=np.inf)
            varied = [place for place, has_spread in zip(places, spread, strict=True) if has_spread]
            found |= {place: self._without_spread(delta) for place, delta in zip(places, deltas, strict=True)}
            if varied:
                found |= dict(zip(varied, self._resampled(deltas[spread], stream), strict=True))
        return [found[place] for place in range(len(pairs))]

    def _without_spread(self, delta: NDArray[np.float64]) -> Comparison:
        p_value = float("nan") if len(delta) < 2 else float(delta[0] == 0)
        return described(delta, p_value, t_interval(delta, self.confidence))

    def _resampled(self, deltas: NDArray[np.float64], stream: Stream) -> list[Comparison]:
        """Compare pairs whose differences vary, shape (n_pairs, n_users)."""
        n = deltas.shape[1]
        means = deltas.mean(axis=1)
        shifted = np.ascontiguousarray((deltas - means[:, np.newaxis]).T)
        squared, scales = shifted**2, np.abs(shifted).max(axis=0)
        errors = deltas.std(axis=1, ddof=1) / np.sqrt(n) if self.method == "studentised" else np.ones(len(means))
        observed = np.abs(means) / errors
        distances = np.concatenate([self._distances(drawn, shifted, squared, scales) for drawn in _draws(stream, n, self.samples)])
        noise = _NOISE * (1 + observed if self.method == "studentised" else scales)
        p_values = (distances >= observed - noise).mean(axis=0)
        reach = errors * np.sort(distances, axis=0)[ceil(self.confidence * self.samples) - 1]
        return [
            described(delta, float(p), (float(mean - half), float(mean + half)))
            for delta, p, mean, half in zip(deltas, p_values, means, reach, strict=True)
        ]

    def _distances(
        self,
        drawn: NDArray[np.float64],
        shifted: NDArray[np.float64],
        squared: NDArray[np.float64],
        scales: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return |mean*| or |t*| of each resample and pair; t* is 0 where the mean is, and infinite for no spread else."""
        n = len(shifted)
        means = np.abs(drawn @ shifted) / n
        if self.method == "shifted":
            return np.asarray(means)
        variances = (drawn @ squared - n * means**2) / (n - 1)
        means[means < _NOISE * scales] = 0.0
        has_spread = variances > _NOISE * scales**2 / n
        errors = np.sqrt(np.where(has_spread, variances, 1.0) / n)
        return np.where(has_spread, means / errors, np.where(means > 0, np.inf, 0.0))


def _draws(stream: Stream, n_users: int, samples: int) -> Iterator[NDArray[np.float64]]:
    """Say how often each user is drawn, shape (at most 64 resamples, n_users)."""
    for start in range(0, samples, _BLOCK):
        rows = np.arange(start, min(start + _BLOCK, samples))[:, np.newaxis]
        users = (stream.uniform(rows, np.arange(n_users)) * n_users).astype(np.int64)
        places = users + (rows - start) * n_users
        yield np.bincount(places.ravel(), minlength=len(rows) * n_users).reshape(len(rows), n_users).astype(np.float64)
