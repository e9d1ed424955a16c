"""The k rows of a sparse matrix that are most similar to each of its rows."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from recsens.recommenders._compiled import compiled
from recsens.recommenders._rows import Rows

_BLOCK = 512
"""Rows handled together, which bounds the memory of unused places."""

_SHARES = 16
"""Portions of a block handed to threads; row r of a block is in portion r mod 16."""


def cosine_neighbours(
    rows: Rows, columns: Rows, k: int, overlap: int = 1
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    """Find the k most similar other rows of every row under sim(a, b) = a · b / sqrt(‖a‖² ‖b‖²), over all columns.

    Rows with a · b = 0, or with fewer than ``overlap`` columns in common, are no neighbours, so there may be fewer than k. Where
    several rows compete for the last places with the same similarity, the higher index wins.

    Parameters
    ----------
    rows, columns
        The same matrix by its rows and by its columns.
    k
        Size of a neighbourhood, >= 1.
    overlap
        Fewest columns that neighbours have in common, >= 1.

    Returns
    -------
    indptr, neighbours, similarities
        Row r has ``neighbours[indptr[r]:indptr[r + 1]]``, ascending, and their similarities.
    """
    n_rows = len(rows.indptr) - 1
    k = min(k, max(n_rows - 1, 1))
    row_of_entry = np.repeat(np.arange(n_rows), np.diff(rows.indptr))
    squared = np.bincount(row_of_entry, weights=rows.values**2, minlength=n_rows).astype(np.float64)
    sizes = np.zeros(n_rows, dtype=np.int64)
    neighbours, similarities = [np.empty(0, dtype=np.int32)], [np.empty(0)]
    for first in range(0, n_rows, _BLOCK):
        last = min(first + _BLOCK, n_rows)
        found = np.empty((last - first, k), dtype=np.int32)
        values = np.empty((last - first, k))
        _fill_block(rows, columns, squared, overlap, first, sizes[first:last], found, values)
        used = np.arange(k) < sizes[first:last, np.newaxis]
        neighbours.append(found[used])
        similarities.append(values[used])
    return np.concatenate([[0], np.cumsum(sizes)]), np.concatenate(neighbours), np.concatenate(similarities)


@compiled(parallel=True)
def _fill_block(
    rows: Rows,
    columns: Rows,
    squared: NDArray[np.float64],
    overlap: int,
    first: int,
    sizes: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    similarities: NDArray[np.float64],
) -> None:
    n_rows = len(squared)
    for share in numba.prange(_SHARES):
        products = np.zeros(n_rows)
        shared = np.zeros(n_rows, dtype=np.int32)
        candidates = np.empty(n_rows, dtype=np.int32)
        rivals = np.empty(n_rows)
        for place in range(share, len(sizes), _SHARES):
            row = first + place
            products[:] = 0.0
            for entry in range(rows.indptr[row], rows.indptr[row + 1]):
                column, value = rows.indices[entry], rows.values[entry]
                for other in range(columns.indptr[column], columns.indptr[column + 1]):
                    products[columns.indices[other]] += value * columns.values[other]
            products[row] = 0.0
            if overlap > 1:
                # A pass of its own: counting beside the products would slow down the common case.
                _count_shared(rows, columns, row, shared)
            n_candidates = 0
            for other in range(n_rows):
                if products[other] != 0.0 and (overlap <= 1 or shared[other] >= overlap):
                    candidates[n_candidates] = other
                    rivals[n_candidates] = products[other] / np.sqrt(squared[row] * squared[other])
                    n_candidates += 1
            sizes[place] = _keep_best(candidates[:n_candidates], rivals[:n_candidates], neighbours[place], similarities[place])


@compiled()
def _count_shared(rows: Rows, columns: Rows, row: int, shared: NDArray[np.int32]) -> None:
    """Count the columns that each row has in common with one."""
    shared[:] = 0
    for entry in range(rows.indptr[row], rows.indptr[row + 1]):
        column = rows.indices[entry]
        for other in range(columns.indptr[column], columns.indptr[column + 1]):
            shared[columns.indices[other]] += 1


@compiled()
def _keep_best(
    candidates: NDArray[np.int32], rivals: NDArray[np.float64], neighbours: NDArray[np.int32], similarities: NDArray[np.float64]
) -> int:
    """Copy the best candidates, in their order, to as many places as there are; return how many places were filled."""
    n_places = min(len(neighbours), len(candidates))
    if n_places == 0:
        return 0
    threshold = np.partition(rivals, len(rivals) - n_places)[len(rivals) - n_places]
    ties_left = n_places
    for value in rivals:
        if value > threshold:
            ties_left -= 1
    place = n_places
    # From the highest index down, so that among equals the higher index gets in.
    for entry in range(len(candidates) - 1, -1, -1):
        is_tie = rivals[entry] == threshold
        if rivals[entry] > threshold or (is_tie and ties_left > 0):
            ties_left -= is_tie
            place -= 1
            neighbours[place] = candidates[entry]
            similarities[place] = rivals[entry]
    return n_places
