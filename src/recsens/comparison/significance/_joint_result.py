"""Joint result of all analyses that compare one pair of systems."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Family:
    """Joint result of all analyses that compare one pair of systems.

    Attributes
    ----------
    t
        t of the mean difference in each analysis, shape (n_analyses,); 0 if all differences are zero, infinite if they are equal
        but not zero, NaN with fewer than two users.
    p_family
        p of each analysis, adjusted for all analyses: if the systems are exchangeable, the chance that any p is at most α is at
        most α.
    median_t, p_median
        Median of t over the analyses, and its p.
    first_wins, second_wins, p_wins
        Numbers of analyses with p < α by the t-test in favour of each system, and the p of their difference; with fewer than six
        users, an analysis has no winner. Of two equal differences, the one with the larger sum of t in favour of the system that
        wins more counts as more extreme.
    n_patterns
        Number of sign patterns used.
    is_complete
        Whether all possible patterns were used.
    """

    t: Array
    p_family: Array
    median_t: float
    p_median: float
    first_wins: int
    second_wins: int
    p_wins: float
    n_patterns: int
    is_complete: bool
