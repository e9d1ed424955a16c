"""Corrections of p-values for multiple comparisons."""

from typing import Literal

import numpy as np
from scipy import special

from recsens.arrays import Bools, Floats, Ints


def corrected_resampled_p(differences: Floats, *, n_train: int, n_test: int) -> float:
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


Correction = Literal["none", "holm", "bh"]


def adjusted(p_values: Floats, method: Correction) -> Floats:
    """Adjust the p-values of a family of comparisons; NaN stays NaN, and does not count as a comparison."""
    corrected = np.array(p_values, dtype=np.float64)
    known = ~np.isnan(corrected)
    if method != "none" and known.any():
        corrected[known] = holm(corrected[known]) if method == "holm" else benjamini_hochberg(corrected[known])
    return corrected


def strictest_threshold(alpha: float, n_pairs: Ints, corrected: Bools) -> Floats:
    """Return each family's strictest threshold, α divided by its number of comparisons; it applies to the smallest p-value.

    The threshold is the same for Holm and for Benjamini & Hochberg. A p-value below this threshold stays below α after correction,
    whatever the other p-values.

    Parameters
    ----------
    alpha
        Threshold for adjusted p-values.
    n_pairs
        Number of comparisons in the family, shape (n,).
    corrected
        Whether the family is corrected, shape (n,).
    """
    return np.where(corrected, alpha / np.maximum(n_pairs, 1), alpha)


def holm(p_values: Floats) -> Floats:
    """Bound the chance of any false rejection; the i-th smallest p becomes max over j <= i of (m - j + 1) p_(j) (Holm 1979)."""
    m = len(p_values)
    order = np.argsort(p_values, kind="stable")
    corrected = np.empty(m)
    corrected[order] = np.minimum(np.maximum.accumulate((m - np.arange(m)) * p_values[order]), 1.0)
    return corrected


def benjamini_hochberg(p_values: Floats) -> Floats:
    """Bound the share of false rejections; the i-th smallest p becomes min over j >= i of m p_(j) / j (Benjamini-Hochberg 1995)."""
    from scipy import stats  # noqa: PLC0415 - slow to import, and only this correction needs it

    return np.asarray(stats.false_discovery_control(p_values, method="bh"), dtype=np.float64)
