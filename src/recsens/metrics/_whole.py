"""Values that no cut-off changes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def at_every(cutoffs: tuple[int, ...], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Repeat the values of users, or the one of all, for each cut-off, shape (len(values), n_cutoffs)."""
    return np.tile(values[:, np.newaxis], (1, len(cutoffs)))
