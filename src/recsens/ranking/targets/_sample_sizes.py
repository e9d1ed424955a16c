"""Sizes of samples of non-relevant targets: the requested number, or all items that are left."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Samples:
    """The samples that a target-item selection draws, one per ranking.

    Attributes
    ----------
    wanted
        Number of items that each ranking should get, n.
    user
        User of each ranking, shape (n_rankings,).
    left
        Number of items from which each ranking's sample is drawn, shape (n_rankings,).
    """

    wanted: int
    user: NDArray[np.int64]
    left: NDArray[np.int64]

    @property
    def drawn(self) -> NDArray[np.int64]:
        """Number of items that each ranking gets, shape (n_rankings,): ``wanted``, or all that are left if there are fewer."""
        return np.minimum(self.left, self.wanted)

    @property
    def is_short(self) -> NDArray[np.bool_]:
        """Which rankings get fewer items than wanted, shape (n_rankings,)."""
        return self.left < self.wanted
