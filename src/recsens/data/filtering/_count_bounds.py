"""Bounds on numbers of ratings."""

import numpy as np
from numpy.typing import NDArray


def check_bounds(at_least: int, at_most: int | None) -> None:
    """Refuse bounds that no count can satisfy."""
    if at_most is not None and at_most < at_least:
        raise ValueError(f"at_most must be {at_least} or more, because at_least is {at_least}")


def between(counts: NDArray[np.int64], at_least: int, at_most: int | None) -> NDArray[np.bool_]:
    """Return whether each number lies within both bounds."""
    enough = counts >= at_least
    return enough if at_most is None else enough & (counts <= at_most)
