"""The contract of a metric that is the area under a curve."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.metrics._base import Metric
from recsens.metrics._judged import Judged
from recsens.metrics._shares import capped

Floats = NDArray[np.float64]

CHANCE = np.array([[0.0, 0.0], [1.0, 1.0]])
"""The curve of an order that says nothing."""


class Area(Metric):
    """Measures the area under a curve, whose points can be had too."""

    @abstractmethod
    def points(self, judged: Judged) -> Floats:
        """Return the corners of the curve of all users, from (0, 0) to (1, 1), x and y a row, shape (n, 2).

        Straight lines join them. No point where there is nobody to draw a curve of.
        """


def corners(misses: NDArray[Any], hits: NDArray[Any]) -> Floats:
    """Walk up by shares of the hits and right by shares of the misses, step by step, shape (n_steps + 1, 2); neither sum is 0."""
    steps = np.column_stack([misses, hits])
    walked = np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    return np.asarray(walked / walked[-1])


def mean_curve(start: Floats, end: Floats, rise: Floats, n_curves: int) -> Floats:
    """Average curves upwards, at every x, from all of their pieces, shape (n, 2).

    Piece k rises by ``rise[k]`` on the way from ``start[k]`` to ``end[k]``, or at once where these are the same.
    """
    if n_curves == 0:
        return np.empty((0, 2))
    is_jump = start == end
    slope = np.divide(rise, end - start, out=np.zeros_like(rise), where=~is_jump)
    x, place = np.unique(np.concatenate([start, end, [0.0, 1.0]]), return_inverse=True)
    first, last = place[: len(rise)], place[len(rise) : 2 * len(rise)]
    jump = np.bincount(first[is_jump], weights=rise[is_jump], minlength=len(x))
    steepness = np.cumsum(np.bincount(first, weights=slope, minlength=len(x)) - np.bincount(last, weights=slope, minlength=len(x)))
    climbed = np.concatenate([[0.0], np.cumsum(steepness[:-1] * np.diff(x))])
    after = climbed + np.cumsum(jump)
    # Up to the jump at each x, and behind it.
    heights = capped(np.column_stack([after - jump, after]).ravel() / n_curves, 1.0)
    both = np.column_stack([np.repeat(x, 2), heights])
    is_corner = np.ones(len(both), dtype=bool)
    is_corner[1::2] = jump > 0
    return np.asarray(both[is_corner])
