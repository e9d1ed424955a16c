"""Tails of distributions of counts."""

import math


def at_least(count: int, expected: float) -> float:
    """Return an upper bound on the probability that a sum of independent events with this expected number is at least ``count``.

    For one event, the bound is the expected number (Markov). For a larger count that exceeds the expected number by one or more, it
    is the tail of a Poisson distribution (Hoeffding 1956; Anderson & Samuels 1967). Otherwise it is 1.
    """
    from scipy.special import pdtrc  # noqa: PLC0415 - not needed to read files

    if count <= 1:
        return min(1.0, expected) if count else 1.0
    return float(pdtrc(count - 1, expected)) if count >= expected + 1 else 1.0


def above(score: float) -> float:
    """Return the probability that a standard normal variable exceeds a score."""
    return 0.5 * math.erfc(score / math.sqrt(2))
