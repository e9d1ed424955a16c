"""Numbers without the digits that rounding alone may change."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

_DECIMALS = 12
"""Values that differ further right differ by rounding alone."""


def rounded(values: ArrayLike) -> NDArray[np.float64]:
    """Round to 12 decimals, so that values that differ by rounding alone are equal; any shape, NaN stays NaN."""
    return np.asarray(np.round(np.asarray(values, dtype=np.float64), _DECIMALS) + 0.0)  # no -0
