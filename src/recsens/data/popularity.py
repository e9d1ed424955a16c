"""Ranks and percentiles of items by popularity, for splits and target items."""

import numpy as np
from numpy.typing import NDArray

from recsens.errors import DesignError


def by_popularity(item_counts: NDArray[np.int64], item_keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the items, most popular first, shape (n_items,); among equally popular items, the one with the lower key is first."""
    return np.lexsort((item_keys, -item_counts)).astype(np.int64)


def percentiles(item_counts: NDArray[np.int64], item_keys: NDArray[np.int64], m: int) -> NDArray[np.int64]:
    """Divide the items by popularity into ``m`` groups of equal size; group 0 contains the most popular items.

    Among n items, the one at rank k = 0, 1, ... is in group floor(k·m/n), so sizes differ by at most one (3,706 items in ten
    groups: 370 or 371). Items without a rating are in the last groups.

    Parameters
    ----------
    item_counts
        Number of ratings of each item, shape (n_items,).
    item_keys
        Keys of the items, fixed when the data are read, shape (n_items,). Equally popular items are ordered by key.
    m
        Number of groups.

    Returns
    -------
    numpy.ndarray
        The group of each item, shape (n_items,).

    Raises
    ------
    DesignError
        If there are fewer items than groups.

    Source: Bellogín (2012), section 4.6.1.
    """
    n = len(item_counts)
    if m > n:
        raise DesignError(f"{n} items cannot fill {m} percentiles", allowed=f"m <= {n}")
    groups = np.empty(n, dtype=np.int64)
    groups[by_popularity(item_counts, item_keys)] = np.arange(n, dtype=np.int64) * m // n
    return groups
