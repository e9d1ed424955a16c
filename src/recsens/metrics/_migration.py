"""Ratings that are sold too high, too low, or as they are, among the first of what a user rated."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from recsens.metrics._errors import errors_at
from recsens.metrics._judged import Judged
from recsens.metrics._predicted_order import predicted_order

TOLERANCE_MEANING = "λ: how many rating points a prediction may be off"
"""What the parameter ``tolerance`` of a metric of migration means, in one line."""

Floats = NDArray[np.float64]


def migration(judged: Judged, cutoffs: tuple[int, ...], is_so: Callable[[Floats], NDArray[np.bool_]]) -> Floats:
    """Share of the first n rated items, by prediction, whose error is as asked, of n; shape (n_users, n_cutoffs)."""
    rows, place = predicted_order(judged)
    found = is_so(errors_at(judged, rows))
    user = judged.user[rows]
    counts = [np.bincount(user[found & (place < n)], minlength=judged.n_users) / n for n in cutoffs]
    return np.stack(counts, axis=1)
