"""Share of a user's top predictions that are too high, too low, or about right."""

from typing import Literal

import numpy as np

from recsens.metrics import Floats, Ints, Judged
from recsens.metrics._prediction_errors import errors_at, predicted_order

TOLERANCE_MEANING = "λ: how many rating points a prediction may be off"
"""Meaning of the parameter ``tolerance`` of UpSell, DownSell and PerfectSell, in one line."""

Direction = Literal[-1, 0, 1]
"""-1: the prediction is too low. 0: the prediction is within the tolerance. 1: the prediction is too high."""

ROUNDING = 1e-12
"""An error that exceeds λ only by rounding counts as not above λ: in floating point, 3.1 - 3 exceeds .1."""


def migration(judged: Judged, counted: Ints, cutoffs: tuple[int, ...], tolerance: float, direction: Direction) -> Floats:
    """Return the share of each user's n highest predictions that err in one direction, shape (n_users, n_cutoffs).

    Only the predictions in the rows ``counted`` are read. If a user has fewer than n predictions, the share is that of all of them;
    if a user has none, it is NaN.
    """
    rows, rank = predicted_order(judged, counted)
    error, within = errors_at(judged, rows), tolerance + ROUNDING
    is_sold_so = np.where(error > within, 1, np.where(error < -within, -1, 0)) == direction
    user = judged.user[rows]
    counts = np.stack([np.bincount(user[is_sold_so & (rank < n)], minlength=judged.n_users) for n in cutoffs], axis=1)
    shown = np.minimum(np.bincount(user, minlength=judged.n_users)[:, np.newaxis], np.asarray(cutoffs))
    shares = np.full(counts.shape, np.nan)
    np.divide(counts, shown, out=shares, where=shown > 0)
    return shares
