"""Pairs of systems that are compared over the same users."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray


def by_users(counts: NDArray[np.bool_], pairs: Sequence[tuple[int, int]]) -> Iterator[tuple[NDArray[np.bool_], list[int]]]:
    """Visit each set of users over which pairs are compared, with the places of its pairs: under full averages there is one.

    Parameters
    ----------
    counts
        Whether a user counts for a system, shape (n_systems, n_users).
    pairs
        Rows to compare.
    """
    places: dict[bytes, list[int]] = {}
    for place, (a, b) in enumerate(pairs):
        places.setdefault((counts[a] & counts[b]).tobytes(), []).append(place)
    for found in places.values():
        a, b = pairs[found[0]]
        yield counts[a] & counts[b], found
