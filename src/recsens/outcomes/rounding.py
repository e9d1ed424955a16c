"""Numbers without the last digits, which rounding errors may change."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

_DECIMALS = 12
"""Decimals kept; values that differ only in later ones differ by rounding errors."""


def rounded(values: ArrayLike) -> NDArray[np.float64]:
    """Round to 12 decimals, so that values that differ only by rounding errors become equal; any shape, NaN stays NaN."""
    return np.asarray(np.round(np.asarray(values, dtype=np.float64), _DECIMALS) + 0.0)  # no -0
