"""Shares of what may be nothing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def share(part: NDArray[np.float64], whole: NDArray[np.float64] | NDArray[np.int64]) -> NDArray[np.float64]:
    """Divide where there is something to divide by, else 0; ``whole`` has the shape of ``part`` or broadcasts to it."""
    values = np.zeros_like(part)
    np.divide(part, whole, out=values, where=whole > 0)
    return values
