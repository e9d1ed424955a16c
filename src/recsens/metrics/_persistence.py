"""Persistence: the probability that a user reaches a position."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray


def rbp_weight(phi: float) -> Callable[[NDArray[np.int64]], NDArray[np.float64]]:
    """Return the weight (1 - φ) φ^(k-1) as a function of the position k."""
    return lambda position: (1 - phi) * np.power(phi, position - 1.0)
