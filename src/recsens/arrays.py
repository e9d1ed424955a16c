"""Names for the types of arrays that most of the library handles; docstrings give the shapes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Reals = NDArray[np.floating[Any]]
"""Floats of any width."""
Ints = NDArray[np.int64]
Ids = NDArray[np.int32]
"""Numbers of users or items, as in `Interactions`."""
Bools = NDArray[np.bool_]
