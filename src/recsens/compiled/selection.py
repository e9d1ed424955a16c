"""Selection from many values without sorting them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.compiled.machine_code import njit

_EVERY = 8
"""Every 8th value is in the sample that gives a bound for the k-th highest value. The bound is 8 places of the sample lower than
where twice as many values as needed are expected above it."""


@njit(error_model="numpy")
def kth_highest(values: NDArray[Any], k: int) -> Any:
    """Return the k-th highest value, for 0 < k <= len(values)."""
    sample = values[::_EVERY]
    place = len(sample) - 2 * k // _EVERY - _EVERY
    if place > len(sample) // 2:
        # A partition of all values takes long. About 2 k + 64 of them reach this bound; if fewer than k do, it does not help.
        high = values[values >= np.partition(sample, place)[place]]
        values = high if len(high) >= k else values
    return np.partition(values, len(values) - k)[len(values) - k]
