"""A user's rated test items in the order of their predicted ratings."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recsens.metrics._errors import predicted_rows
from recsens.metrics._judged import Judged


def predicted_order(judged: Judged) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows with a predicted rating, by user, then as ranked, and the 0-based rank of each among its user's.

    The same under both views. Ties are broken as in the ranking.
    """
    order = judged.order
    is_predicted = np.zeros(len(judged.user), dtype=bool)
    is_predicted[predicted_rows(judged)] = True
    rows = order[is_predicted[order]]
    user = judged.user[rows]
    return rows, np.arange(len(rows)) - np.searchsorted(user, user)
