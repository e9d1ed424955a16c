"""Decide who wins a comparison of two systems; only this module defines a win.

The step ``decide_winners`` applies this definition to every comparison and writes ``verdicts.csv``; all code that shows or judges
verdicts reads that table.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from recsens.arrays import Bools, Ints
from recsens.outcomes.rounding import rounded

FIRST, SECOND, NOBODY = 1, -1, 0
"""Codes for the first system of a comparison, the second system, and neither of them."""

Side = Ints
"""`FIRST`, `SECOND` or `NOBODY` for each comparison."""


def better(first: ArrayLike, second: ArrayLike, directions: ArrayLike) -> Side:
    """Return which system has the better value; `NOBODY` if the values are equal after rounding, or if a value is missing.

    Parameters
    ----------
    first, second
        Values of the two systems in each comparison, shape (n,); NaN if a system has no value.
    directions
        1 if higher values of the metric are better, else -1; shape (n,).
    """
    return ahead(rounded(first) - rounded(second), directions)


def ahead(differences: ArrayLike, directions: ArrayLike) -> Side:
    """Return which system the users' differences favour; `NOBODY` if the differences cancel out or are missing.

    Parameters
    ----------
    differences
        Estimated difference in each comparison, first system minus second, shape (n,).
    directions
        1 if higher values of the metric are better, else -1; shape (n,).
    """
    favoured = np.asarray(directions, dtype=np.float64) * np.asarray(differences, dtype=np.float64)
    return np.nan_to_num(np.sign(favoured)).astype(np.int64)


def significant(p_values: ArrayLike, alpha: float) -> Bools:
    """Return where p < α; False where p is NaN."""
    return np.asarray(np.asarray(p_values, dtype=np.float64) < alpha)


def insignificant(p_values: ArrayLike, alpha: float) -> Bools:
    """Return where p ≥ α; False where p is NaN."""
    return np.asarray(np.asarray(p_values, dtype=np.float64) >= alpha)


class Decided(NamedTuple):
    """The outcome of each comparison. If neither system wins and they are not equivalent, the comparison is undecided.

    Attributes
    ----------
    winner
        The system that wins, shape (n,).
    is_equivalent
        Whether the systems certainly differ by less than the margin, shape (n,).
    """

    winner: Side
    is_equivalent: Bools


def decide(
    better: ArrayLike,
    ahead: ArrayLike,
    p_values: ArrayLike,
    alpha: float,
    *,
    low: ArrayLike = np.nan,
    high: ArrayLike = np.nan,
    margins: ArrayLike = 0.0,
) -> Decided:
    """Decide each comparison: a system wins, the systems are equivalent, or the comparison is undecided.

    The system with the better value wins if the users' differences favour it too, if p < α, and if the whole interval of the
    difference lies beyond the margin. The system with the better value, for example the better median, may not be the system that
    the users' differences favour; then neither wins, whatever p is. Two systems are equivalent if the whole interval lies within
    the margin; then neither wins. This is stricter than two one-sided tests at α, which correspond to an interval of level 1
    - 2 α.

    Parameters
    ----------
    better, ahead
        Which system has the better value, and which system the users' differences favour, shape (n,): the results of `better` and
        `ahead`.
    p_values
        Two-sided p-values, with the design's correction, shape (n,); if p is NaN, neither system wins.
    alpha
        The study's significance level.
    low, high
        Ends of the interval of level 1 - α, shape (n,); if they are NaN, the interval lies neither beyond nor within the margin.
    margins
        The smallest difference that matters, shape (n,). If it is 0, the margin plays no part, and no systems are equivalent.
    """
    better, ahead, low, high, margins = map(np.asarray, (better, ahead, low, high, margins))
    is_beyond = (margins == 0) | (low > margins) | (high < -margins)
    winner = np.where(significant(p_values, alpha) & (ahead == better) & is_beyond, ahead, NOBODY).astype(np.int64)
    return Decided(winner, np.asarray((low > -margins) & (high < margins)))
