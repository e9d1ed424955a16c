"""The contract of metrics that are areas under a curve, and functions for curves."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.arrays import Floats
from recsens.metrics._base import Metric
from recsens.metrics._division import capped
from recsens.metrics._judged import Judged

CHANCE = np.array([[0.0, 0.0], [1.0, 1.0]])
"""The curve of a random order."""


class Area(Metric):
    """The area under a curve; `points` returns the curve itself."""

    @abstractmethod
    def points(self, judged: Judged) -> Floats:
        """Return the corners of the curve for all users, from (0, 0) to (1, 1): one (x, y) in each row, shape (n, 2).

        Straight lines join the corners. The result is empty if no user has a curve.
        """


def corners(misses: NDArray[Any], hits: NDArray[Any]) -> Floats:
    """Return the corners of a curve that goes up with each hit and right with each miss, shape (n_steps + 1, 2).

    A step up is a share of all hits, and a step to the right is a share of all misses; neither total may be 0.
    """
    steps = np.column_stack([misses, hits])
    walked = np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    return np.asarray(walked / walked[-1])


def mean_curve(start: Floats, end: Floats, rise: Floats, n_curves: int) -> Floats:
    """Average ``n_curves`` curves vertically, given the pieces of all curves; the result has shape (n, 2).

    Piece k rises by ``rise[k]`` between ``start[k]`` and ``end[k]``; if the two are equal, the piece is a jump.
    """
    if n_curves == 0:
        return np.empty((0, 2))
    is_jump = start == end
    slope = np.divide(rise, end - start, out=np.zeros_like(rise), where=~is_jump)
    x, index = np.unique(np.concatenate([start, end, [0.0, 1.0]]), return_inverse=True)
    first, last = index[: len(rise)], index[len(rise) : 2 * len(rise)]
    jump = np.bincount(first[is_jump], weights=rise[is_jump], minlength=len(x))
    steepness = np.cumsum(np.bincount(first, weights=slope, minlength=len(x)) - np.bincount(last, weights=slope, minlength=len(x)))
    climbed = np.concatenate([[0.0], np.cumsum(steepness[:-1] * np.diff(x))])
    after = climbed + np.cumsum(jump)
    # The heights just before and just after the jump at each x.
    heights = capped(np.column_stack([after - jump, after]).ravel() / n_curves, 1.0)
    both = np.column_stack([np.repeat(x, 2), heights])
    is_corner = np.ones(len(both), dtype=bool)
    is_corner[1::2] = jump > 0
    return np.asarray(both[is_corner])
