"""The search for the k best neighbours of all rows, a block of rows at a time."""

from collections.abc import Callable

import numpy as np

from recsens.recommenders import Floats, Ids, Ints, progress

BLOCK = 512
"""Number of rows handled together; it limits the memory that is allocated but not used."""

SHARES = 16
"""Number of portions into which a block is divided among threads; row r of a block is in portion r mod 16."""

Neighbours = tuple[Ints, Ids, Floats]
"""``indptr``, ``neighbours``, ``values``: row r has the neighbours ``neighbours[indptr[r]:indptr[r + 1]]``, with their similarities
or likelihoods at the same indices of ``values``."""


def neighbours_of_all(n_rows: int, k: int, fill: Callable[[int, Ints, Ids, Floats], None], what: str) -> Neighbours:
    """Find each row's neighbours, at most k and fewer than ``n_rows``, and show progress as ``what``.

    ``fill`` is called with the first row of a block and three arrays with a row for each row of the block, to fill in: the number
    of neighbours, the neighbours, and their values.
    """
    k = min(k, max(n_rows - 1, 1))
    sizes = np.zeros(n_rows, dtype=np.int64)
    neighbours, values = [np.empty(0, dtype=np.int32)], [np.empty(0)]
    for first in progress(range(0, n_rows, BLOCK), what):
        own = sizes[first : first + BLOCK]
        nearest, found = np.empty((len(own), k), dtype=np.int32), np.empty((len(own), k))
        fill(first, own, nearest, found)
        used = np.arange(k) < own[:, np.newaxis]
        neighbours.append(nearest[used])
        values.append(found[used])
    return np.concatenate([[0], np.cumsum(sizes)]), np.concatenate(neighbours), np.concatenate(values)
