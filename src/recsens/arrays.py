"""Names for the types of arrays that most of the library handles; shapes stand in docstrings."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Ids = NDArray[np.int32]
"""Users or items by number, as `Interactions` holds them."""
