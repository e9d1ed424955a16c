"""The items that a user rated in test, in the order of their predictions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recsens.metrics._errors import predicted_rows
from recsens.metrics._judged import Judged


def predicted_order(judged: Judged) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows whose rating was predicted, by user, then as ranked, and the 0-based place of each among its user's.

    The same under both views. Equal predictions stand as the ranking breaks the tie.
    """
    order = judged.order
    is_predicted = np.zeros(len(judged.user), dtype=bool)
    is_predicted[predicted_rows(judged)] = True
    rows = order[is_predicted[order]]
    user = judged.user[rows]
    return rows, np.arange(len(rows)) - np.searchsorted(user, user)
