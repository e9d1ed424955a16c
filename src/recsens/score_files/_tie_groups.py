"""Groups of equal scores, identified by the number of items above them, and the order within these groups."""

import numpy as np
from numpy.typing import NDArray

from recsens.arrays import Ids, Ints


def equal_scores(user: Ids, above: Ints) -> Ints:
    """Return the group of equal scores of each row: rows of one user that have the same number of items above them."""
    # Convert first: NumPy before 2 keeps 32 bits if only one factor is an array, and groups of different users could share a
    # number.
    _, group = np.unique(user.astype(np.int64) * (above.max(initial=0) + 1) + above, return_inverse=True)
    return group.astype(np.int64)


def places_in_groups(group: Ints, *keys: NDArray[np.generic]) -> Ints:
    """Return each row's place in its group, counted from 0. The last key is the primary sort key."""
    order = np.lexsort((*keys, group))
    starts = np.searchsorted(group[order], group[order])
    places = np.empty(len(group), dtype=np.int64)
    places[order] = np.arange(len(group)) - starts
    return places
