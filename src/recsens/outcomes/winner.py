"""Who wins a comparison of two systems: the only definition of a win.

It stands below the report, so that whatever asks who wins, a verdict, a figure, a claim or a study of metrics, asks it here.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsens.outcomes.rounding import rounded

FIRST, SECOND, NOBODY = 1, -1, 0
"""The two systems of a comparison in the order in which it names them, and neither of them."""

Side = NDArray[np.int64]
"""`FIRST`, `SECOND` or `NOBODY` for each comparison."""


def better(first: ArrayLike, second: ArrayLike, directions: ArrayLike) -> Side:
    """Say which system has the better value; nobody where they are equal but for rounding, or where one is missing.

    Parameters
    ----------
    first, second
        Value of either system in each comparison, shape (n,); NaN where there is none.
    directions
        1 where more of the metric is better, else -1; shape (n,).
    """
    return ahead(rounded(first) - rounded(second), directions)


def ahead(differences: ArrayLike, directions: ArrayLike) -> Side:
    """Say which system the differences of the users favour; nobody where they cancel out, or are missing.

    Parameters
    ----------
    differences
        Estimated difference in each comparison, first system minus second, shape (n,).
    directions
        1 where more of the metric is better, else -1; shape (n,).
    """
    favoured = np.asarray(directions, dtype=np.float64) * np.asarray(differences, dtype=np.float64)
    return np.nan_to_num(np.sign(favoured)).astype(np.int64)


def beyond(low: ArrayLike, high: ArrayLike, margins: ArrayLike) -> NDArray[np.bool_]:
    """Say where the whole interval of the difference lies beyond the smallest difference that matters, on either side.

    Parameters
    ----------
    low, high
        Ends of the interval of level 1 - α, shape (n,); nowhere with NaN.
    margins
        The smallest difference that matters, shape (n,). Where it is 0, every difference is beyond it: p alone decides.
    """
    margins = np.asarray(margins, dtype=np.float64)
    return np.asarray((margins == 0) | (np.asarray(low) > margins) | (np.asarray(high) < -margins))


def equivalent(low: ArrayLike, high: ArrayLike, margins: ArrayLike) -> NDArray[np.bool_]:
    """Say where the whole interval lies within the margin: the systems differ by less than what matters; nowhere if that is 0.

    The arguments are those of `beyond`. An interval of level 1 - α is stricter than two one-sided tests at α, which need 1 - 2 α.
    """
    return np.asarray((np.asarray(low) > -np.asarray(margins)) & (np.asarray(high) < margins))


def significant(p_values: ArrayLike, alpha: float) -> NDArray[np.bool_]:
    """Say where p < α; nowhere with NaN."""
    return np.asarray(np.asarray(p_values, dtype=np.float64) < alpha)


def winners(better: ArrayLike, ahead: ArrayLike, p_values: ArrayLike, alpha: float, is_beyond: ArrayLike = np.True_) -> Side:
    """Say who wins each comparison: the system with the better value, if the users favour it too, p < α, and it is ahead by enough.

    An aggregate such as the median may disagree with the test, which compares users: then nobody wins, whatever p is.

    Parameters
    ----------
    better, ahead
        Which system has the better value, and which one the users favour, shape (n,).
    p_values
        Two-sided p-values, corrected as the design says, shape (n,); with NaN nobody wins.
    alpha
        The study's threshold of significance.
    is_beyond
        Whether the difference lies `beyond` the study's margin, shape (n,); by default there is no margin.
    """
    better, ahead = np.asarray(better), np.asarray(ahead)
    is_won = significant(p_values, alpha) & (ahead == better) & np.asarray(is_beyond)
    return np.where(is_won, ahead, NOBODY).astype(np.int64)
