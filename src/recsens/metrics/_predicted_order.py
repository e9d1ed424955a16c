"""A user's rated test items in the order of their predicted ratings."""

import numpy as np
from numpy.typing import NDArray

from recsens.metrics._judged import Judged


def predicted_order(judged: Judged, counted: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows ``counted``, by user, then as ranked, and the 0-based rank of each among its user's.

    They have a predicted rating each. The same under both views. Ties are broken as in the ranking.
    """
    order = judged.order
    is_counted = np.zeros(len(judged.user), dtype=bool)
    is_counted[counted] = True
    rows = order[is_counted[order]]
    user = judged.user[rows]
    return rows, np.arange(len(rows)) - np.searchsorted(user, user)
