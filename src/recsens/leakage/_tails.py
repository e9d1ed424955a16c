"""Tails of distributions of counts."""

import math

import numpy as np
from numpy.typing import NDArray


def at_least(count: int, expected: float) -> float:
    """Return the chance of at least so many of a Poisson count.

    It is an upper bound for sums of hypergeometric or binomial counts, which vary less, in the tail above the mean.
    """
    from scipy.special import pdtrc  # noqa: PLC0415 - light, but not needed to read files

    return 1.0 if count <= 0 or count <= expected else float(pdtrc(count - 1, expected))


def above(score: float) -> float:
    """Return the chance that a standard normal exceeds a number."""
    return 0.5 * math.erfc(score / math.sqrt(2))


def rank_sum(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Return the two-sided p-value that one sample is larger (Wilcoxon; normal, with ties and continuity); 1 for an empty one."""
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
