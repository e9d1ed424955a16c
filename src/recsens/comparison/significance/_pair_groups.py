"""Pairs of systems, grouped by the users over whom they are compared."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray


def by_users(counts: NDArray[np.bool_], pairs: Sequence[tuple[int, int]]) -> Iterator[tuple[NDArray[np.bool_], list[int]]]:
    """Yield each set of users over whom pairs are compared, with the indices of these pairs; full averages have only one set.

    Parameters
    ----------
    counts
        Whether a user counts for a system, shape (n_systems, n_users).
    pairs
        Pairs of rows to compare.
    """
    indices_by_users: dict[bytes, list[int]] = {}
    for index, (a, b) in enumerate(pairs):
        indices_by_users.setdefault((counts[a] & counts[b]).tobytes(), []).append(index)
    for indices in indices_by_users.values():
        a, b = pairs[indices[0]]
        yield counts[a] & counts[b], indices
