"""Round numbers, because rounding errors can change their last digits."""

import numpy as np
from numpy.typing import ArrayLike

from recsens.arrays import Floats

_DECIMALS = 12
"""Number of decimals to which values are rounded, because later decimals may differ by rounding errors."""


def rounded(values: ArrayLike) -> Floats:
    """Round an array of any shape to 12 decimals, to make values equal that differ only by rounding errors; NaN stays NaN."""
    return np.asarray(np.round(np.asarray(values, dtype=np.float64), _DECIMALS) + 0.0)  # no -0
