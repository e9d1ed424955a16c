"""Values that do not depend on a cut-off."""

import numpy as np
from numpy.typing import NDArray


def at_every(cutoffs: tuple[int, ...], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Repeat the users' values, or the one pooled value, for each cut-off, shape (len(values), n_cutoffs)."""
    return np.tile(values[:, np.newaxis], (1, len(cutoffs)))
