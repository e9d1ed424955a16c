"""Segments of items with similar popularity, all of the same size, to smooth curves over a long tail."""

import numpy as np
from numpy.typing import NDArray

from recsens.data.interactions import Interactions
from recsens.data.popularity import percentiles
from recsens.errors import SpecError


def segment_means(
    data: Interactions, values: NDArray[np.float64], n_segments: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Average the values of items over segments of items, starting with the most rated; unrated items are left out.

    Parameters
    ----------
    data
        The ratings.
    values
        A value for each item, shape (n_items,).
    n_segments
        Number of segments; at most the number of items.

    Returns
    -------
    tuple of numpy.ndarray
        The mean rank of the items in each segment, counted from 1, and their mean value, both of shape (n_segments,).
    """
    rated = np.flatnonzero(data.item_counts > 0)
    n = min(n_segments, len(rated))
    group = percentiles(data.item_counts[rated], data.item_keys[rated], n)
    sizes = np.bincount(group, minlength=n)
    ends = np.cumsum(sizes)
    return ends - (sizes - 1) / 2, np.bincount(group, weights=values[rated], minlength=n) / sizes


def relevant_ratings(found: Interactions, threshold: float | None, remedy: str) -> NDArray[np.bool_]:
    """Return which ratings are relevant, shape (n,).

    Raises SpecError if the data set has no ratings.
    """
    if found.rating is None:
        raise SpecError("the data set has no ratings, so none is relevant", remedy=remedy)
    return np.asarray(found.rating >= found.scale.threshold(threshold))
