"""Sizes of the samples of non-relevant targets, including users with fewer items left than wanted."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Samples:
    """The samples of a selection of target items, one for each ranking.

    Attributes
    ----------
    wanted
        Items that each ranking should get, n.
    user
        User of each ranking, shape (n_rankings,).
    left
        Number of items from which those of each ranking are drawn, shape (n_rankings,).
    """

    wanted: int
    user: NDArray[np.int64]
    left: NDArray[np.int64]

    @property
    def drawn(self) -> NDArray[np.int64]:
        """Items that each ranking gets: all that are left if these are fewer than wanted, shape (n_rankings,)."""
        return np.minimum(self.left, self.wanted)

    @property
    def is_short(self) -> NDArray[np.bool_]:
        """Which rankings get fewer items than wanted, shape (n_rankings,)."""
        return self.left < self.wanted
