"""p-values of many comparisons, adjusted so that they may be read together."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Correction = Literal["none", "holm", "bh"]


def adjusted(p_values: NDArray[np.float64], method: Correction) -> NDArray[np.float64]:
    """Adjust the p-values of one family of comparisons; NaN stays NaN and does not count as a comparison."""
    found = np.array(p_values, dtype=np.float64)
    known = ~np.isnan(found)
    if method != "none" and known.any():
        found[known] = holm(found[known]) if method == "holm" else benjamini_hochberg(found[known])
    return found


def holm(p_values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Bound the chance of any false rejection: the i-th smallest of m is max over j <= i of (m - j + 1) p_(j) (Holm 1979)."""
    m = len(p_values)
    order = np.argsort(p_values, kind="stable")
    found = np.empty(m)
    found[order] = np.minimum(np.maximum.accumulate((m - np.arange(m)) * p_values[order]), 1.0)
    return found


def benjamini_hochberg(p_values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Bound the share of false rejections: the i-th smallest is min over j >= i of m p_(j) / j (Benjamini & Hochberg 1995)."""
    return np.asarray(stats.false_discovery_control(p_values, method="bh"), dtype=np.float64)
