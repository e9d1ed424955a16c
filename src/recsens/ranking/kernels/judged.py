"""Judged items and their positions, as tuples that kernels accept."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class JudgedInLayer(NamedTuple):
    """Judged items of a block of users; row b has the items ``items[indptr[b]:indptr[b + 1]]``."""

    indptr: NDArray[np.int64]
    items: NDArray[np.int32]
    is_wanted: NDArray[np.bool_]
    """Which of these items are ranked if they have a value."""


class Stands(NamedTuple):
    """Positions of judged items, all of shape (n,); 0 for an unranked item."""

    above: NDArray[np.int32]
    tied: NDArray[np.int32]
    position: NDArray[np.int32]
