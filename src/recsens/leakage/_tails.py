"""Tails of distributions of counts."""

import math

import numpy as np
from numpy.typing import NDArray


def at_least(count: int, expected: float) -> float:
    """Return the probability that a Poisson count is at least ``count``.

    For counts above the mean, this probability is an upper bound for sums of hypergeometric or binomial counts, which vary less.
    """
    from scipy.special import pdtrc  # noqa: PLC0415 - not needed to read files

    return 1.0 if count <= 0 or count <= expected else float(pdtrc(count - 1, expected))


def above(score: float) -> float:
    """Return the probability that a standard normal variable exceeds a score."""
    return 0.5 * math.erfc(score / math.sqrt(2))


def rank_sum(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Return the two-sided p-value of the rank-sum test (normal, corrected for ties and continuity); 1 if a sample is empty."""
    n, m = len(first), len(second)
    if not n or not m:
        return 1.0
    _, code, counts = np.unique(np.concatenate([first, second]), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[code]
    total = n + m
    ties = float((counts.astype(np.float64) ** 3 - counts).sum())
    variance = n * m / 12 * (total + 1 - ties / (total * max(total - 1, 1)))
    if variance <= 0:
        return 1.0
    far = abs(float(ranks[:n].sum()) - n * (total + 1) / 2) - 0.5
    return min(1.0, 2 * above(max(far, 0.0) / math.sqrt(variance)))
