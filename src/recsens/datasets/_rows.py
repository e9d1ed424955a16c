"""Interactions as they stand in a raw file: row by row, before codes are assigned and repeats are merged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Invalid = Literal["error", "skip"]
"""What to do about a row that does not hold what is declared: stop, or leave it out and count it."""


@dataclass(frozen=True)
class Rows:
    """What was read from a raw file, in file order.

    Attributes
    ----------
    source
        The file.
    user_names, item_names
        Distinct names, in any order.
    user, item
        Indices into the names, shape (n,).
    rating, timestamp
        Shape (n,), or None where the file has none.
    place
        Says where a row stands (``file:line``), given its index.
    n_invalid
        Number of rows left out.
    """

    source: str
    user_names: Sequence[str]
    item_names: Sequence[str]
    user: NDArray[np.int32]
    item: NDArray[np.int32]
    rating: NDArray[np.float64] | None
    timestamp: NDArray[np.int64] | None
    place: Callable[[int], str]
    n_invalid: int = 0
