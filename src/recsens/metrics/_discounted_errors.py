"""Squared errors of predicted ratings, discounted by the place of the item."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recsens.metrics._errors import errors_at
from recsens.metrics._judged import Judged
from recsens.metrics._kernels import ideal_sums
from recsens.metrics._predicted_order import predicted_order

Floats = NDArray[np.float64]


def discounts(n: int) -> Floats:
    """Return 1 / log2(k + 1) for the places k = 1 to n."""
    return np.asarray(1.0 / np.log2(np.arange(1, n + 1) + 1.0))


def discounted(judged: Judged, cutoffs: tuple[int, ...]) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Return each user's DCSE, the largest that the user's errors could come to, and the number of predicted items.

    The first two have shape (n_users, n_cutoffs), the last (n_users,).
    """
    rows, place = predicted_order(judged)
    squared, user = errors_at(judged, rows) ** 2, judged.user[rows]
    numbers = np.bincount(user, minlength=judged.n_users)
    weights = discounts(int(numbers.max(initial=0)))
    terms = squared * weights[place]
    sums = [np.bincount(user[place < n], weights=terms[place < n], minlength=judged.n_users) for n in cutoffs]
    worst = np.empty((judged.n_users, len(cutoffs)))
    ideal_sums(squared, np.concatenate([[0], np.cumsum(numbers)]), weights, np.asarray(cutoffs), worst)
    # Of no rows at all, bincount makes whole numbers.
    return np.stack(sums, axis=1).astype(np.float64), worst, numbers
