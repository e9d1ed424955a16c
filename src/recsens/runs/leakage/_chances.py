"""P-values: tails of distributions, and random draws for any null distribution, exact for any number of draws."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray


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


DRAWS = 99_999
"""Largest number of draws, so the smallest p-value is 1e-5."""

_ENOUGH = 50
"""Drawing ends at this number of draws that are at least as extreme as the observed value."""

_FIRST, _AT_ONCE = 400, 2_000_000
"""Number of draws in the first block, and largest number of numbers drawn at once."""

_SAME = 1e-9
"""Sums that differ by at most this share are equal; they may have been added up in different orders."""


def share_as_extreme(draw: Callable[[int], NDArray[np.bool_]], n_numbers: int) -> float:
    """Return the p-value of an observed statistic by sequential draws (Besag & Clifford 1991).

    If the 50th draw that is at least as extreme as the observed value is draw l, the p-value is 50/l. If only k < 50 of 99,999
    draws are that extreme, it is (1 + k)/100,000. In both cases, the probability of a p-value of at most x is at most x, if the
    observed value is one more draw from the same distribution. Clear cases need few draws, and strong evidence needs them all.

    Parameters
    ----------
    draw
        Draws a given number of statistics, and returns for each whether it is at least as extreme as the observed one.
    n_numbers
        The number of random numbers that each statistic needs.
    """
    done, extreme, size = 0, 0, _FIRST
    while done < DRAWS:
        is_extreme = draw(min(size, DRAWS - done, max(1, _AT_ONCE // n_numbers)))
        at = np.flatnonzero(is_extreme)
        if extreme + len(at) >= _ENOUGH:
            return _ENOUGH / float(done + at[_ENOUGH - extreme - 1] + 1)
        done, extreme, size = done + len(is_extreme), extreme + len(at), 2 * size
    return (1 + extreme) / (1 + done)


def by_exchange(columns: NDArray[np.float64], rng: np.random.Generator, *, is_two_sided: bool = True) -> float:
    """Return the p-value of the sum of the first column if each row's entries are exchangeable, independently of other rows.

    A draw takes one entry of each row at random. It is compared with the first column by its sum or, if ``is_two_sided``, by the
    distance of its sum from the expected sum.
    """
    n_rows, n_columns = columns.shape
    flat, starts = (columns - columns.mean(axis=1, keepdims=True)).ravel(), np.arange(n_rows) * n_columns
    sided = np.abs if is_two_sided else np.positive
    tolerance = _SAME * float(np.abs(columns).max(initial=0.0)) * n_rows
    observed = float(sided(flat[starts].sum())) - tolerance
    if observed <= 0:
        return 1.0

    def draw(n: int) -> NDArray[np.bool_]:
        return np.asarray(sided(flat[starts + rng.integers(n_columns, size=(n, n_rows))].sum(axis=1)) >= observed)

    return share_as_extreme(draw, n_rows)
