"""Ratings that are sold too high, too low, or as they are, among the first of what was predicted for a user."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from recsens.metrics._errors import errors_at
from recsens.metrics._judged import Judged
from recsens.metrics._predicted_order import predicted_order

TOLERANCE_MEANING = "λ: how many rating points a prediction may be off"
"""What the parameter ``tolerance`` of a metric of migration means, in one line."""

Floats = NDArray[np.float64]
Direction = Literal[-1, 0, 1]
"""Whether a rating is sold too low, as it is, or too high."""

_ROUNDING = 1e-12
"""3.1 - 3 is a little more than .1 to a computer: an error that meets λ but for rounding is within it."""


def migration(judged: Judged, cutoffs: tuple[int, ...], tolerance: float, direction: Direction) -> Floats:
    """Share of the first n predicted ratings, by prediction, that are sold in a direction, shape (n_users, n_cutoffs).

    A user with fewer than n predictions is divided by their number; NaN for a user without any.
    """
    rows, place = predicted_order(judged)
    error, within = errors_at(judged, rows), tolerance + _ROUNDING
    found = np.where(error > within, 1, np.where(error < -within, -1, 0)) == direction
    user = judged.user[rows]
    counts = np.stack([np.bincount(user[found & (place < n)], minlength=judged.n_users) for n in cutoffs], axis=1)
    shown = np.minimum(np.bincount(user, minlength=judged.n_users)[:, np.newaxis], np.asarray(cutoffs))
    shares = np.full(counts.shape, np.nan)
    np.divide(counts, shown, out=shares, where=shown > 0)
    return shares
