"""The p-value over repeated splits, corrected because their train sets overlap."""

import numpy as np
from numpy.typing import NDArray
from scipy import special


def corrected_resampled_p(differences: NDArray[np.float64], *, n_train: int, n_test: int) -> float:
    """Test the mean difference over J splits: t = mean / √((1/J + n_test / n_train) s²) with J - 1 degrees of freedom, two-sided.

    Splits of the same data share ratings, so differences vary less between them than between new data sets; the term n_test /
    n_train corrects for this (Nadeau & Bengio 2003, section 3). If all differences are zero, p is 1. If they are equal but not
    zero, p is NaN, because they give no estimate of s. p is also NaN if there are fewer than two splits, if a difference is NaN, or
    if there are no train ratings.

    Parameters
    ----------
    differences
        Mean difference of the two systems on each split, shape (J,).
    n_train, n_test
        Numbers of train and test ratings of a split.
    """
    rounded = np.round(differences, 12)
    n_splits = len(rounded)
    if n_splits < 2 or n_train < 1 or np.isnan(rounded).any():
        return float("nan")
    mean, variance = float(rounded.mean()), float(rounded.var(ddof=1))
    if np.ptp(rounded) == 0:
        return 1.0 if rounded[0] == 0 else float("nan")
    t = mean / np.sqrt((1 / n_splits + n_test / n_train) * variance)
    return float(2 * special.stdtr(n_splits - 1, -abs(t)))
