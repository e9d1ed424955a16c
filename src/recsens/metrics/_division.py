"""Division with 0 / 0 = 0, and a bound for values that exceed it by rounding."""

import numpy as np

from recsens.arrays import Floats, Ints
from recsens.errors import DataError

_ROUNDING = 1e-9
"""Tolerance above a bound for rounding errors in sums of some million terms; for bounds above 1, the tolerance is relative."""


def share(part: Floats, whole: Floats | Ints) -> Floats:
    """Divide ``part`` by ``whole``; 0 if the divisor is not positive. ``whole`` has the shape of ``part`` or broadcasts to it."""
    values = np.zeros_like(part)
    np.divide(part, whole, out=values, where=whole > 0)
    return values


def capped_share(part: Floats, whole: Floats | Ints) -> Floats:
    """Divide like `share`, for two rounded sums. By definition, the first sum cannot exceed the second.

    Raises DataError if a share is above 1 by more than rounding.
    """
    return capped(share(part, whole), 1.0)


def capped(values: Floats, most: Floats | float) -> Floats:
    """Replace values that rounding raised above the bound ``most`` by the bound, which broadcasts to the shape of ``values``.

    Raises DataError if a value is above its bound by more than rounding.
    """
    wrong = values > most + np.maximum(most, 1.0) * _ROUNDING
    if wrong.any():
        index = int(np.argmax(wrong))
        bound = np.broadcast_to(most, values.shape).flat[index]
        raise DataError(
            f"a metric has the value {values.flat[index]:.9g}, but its definition allows at most {bound:.9g}: the positions "
            "contradict each other",
            allowed="one item at each position of a user's ranking, and no position below its end",
        )
    return np.minimum(values, most)
