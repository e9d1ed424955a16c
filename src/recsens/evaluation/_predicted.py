"""The judged items that a run predicts a rating for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Predicted:
    """Whether each judged item has a prediction.

    Attributes
    ----------
    user
        User of each judged item, shape (n,).
    is_predicted
        Whether a run has a score for it, shape (n,).
    """

    user: NDArray[np.int32]
    is_predicted: NDArray[np.bool_]

    def n_judged(self, users: NDArray[np.bool_]) -> int:
        """Count the judged items of some users, a mask of shape (n_users,)."""
        return int(np.count_nonzero(users[self.user]))

    def n_predicted(self, users: NDArray[np.bool_]) -> int:
        """Count the judged items of some users that have a prediction."""
        return int(np.count_nonzero(self.is_predicted & users[self.user]))

    def is_same(self, other: Predicted, users: NDArray[np.bool_]) -> bool:
        """Whether two runs predict the same items of some users."""
        return not ((self.is_predicted != other.is_predicted) & users[self.user]).any()
