"""Neighbours by similarity: find, for each row of a sparse matrix, the k most similar rows."""

from collections.abc import Callable
from functools import partial
from typing import Literal

import numba
import numpy as np

from recsens.compiled.selection import kth_highest
from recsens.plugins import Plugin
from recsens.recommenders import Floats, Ids, Ints, claim, progress
from recsens.recommenders._kernels import Rows, compiled

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


@compiled()
def keep_best(candidates: Ids, rivals: Floats, neighbours: Ids, values: Floats) -> int:
    """Copy the candidates with the highest values, as many as fit, in ascending order of numbers; return how many were copied.

    Parameters
    ----------
    candidates, rivals
        Numbers of rows, ascending, and their values, which are not NaN.
    neighbours, values
        Receive the best of them. Among equal values, the higher number wins.
    """
    n_kept = min(len(neighbours), len(candidates))
    if n_kept == 0:
        return 0
    threshold = kth_highest(rivals, n_kept)
    ties_left = n_kept - np.count_nonzero(rivals > threshold)
    index = n_kept
    # Go from the highest index down; among equals, the higher index is then kept.
    for entry in range(len(candidates) - 1, -1, -1):
        is_tie = rivals[entry] == threshold
        if rivals[entry] > threshold or (is_tie and ties_left > 0):
            ties_left -= is_tie
            index -= 1
            neighbours[index] = candidates[entry]
            values[index] = rivals[entry]
    return n_kept


def nearest_among(found: Neighbours, k: int) -> Neighbours:
    """Keep at most k of each row's neighbours: those that a search for only k would have found."""
    indptr, neighbours, values = found
    kept = np.concatenate([[0], np.cumsum(np.minimum(np.diff(indptr), k))])
    nearest, best = np.empty(kept[-1], dtype=np.int32), np.empty(kept[-1])
    _keep_nearest(indptr, neighbours, values, kept, nearest, best)
    return kept, nearest, best


@compiled()
def _keep_nearest(indptr: Ints, neighbours: Ids, values: Floats, kept: Ints, nearest: Ids, best: Floats) -> None:
    for row in range(len(kept) - 1):
        own, out = slice(indptr[row], indptr[row + 1]), slice(kept[row], kept[row + 1])
        keep_best(neighbours[own], values[own], nearest[out], best[out])


Similarity = Literal["cosine", "vector_jaccard", "set_cosine", "jaccard", "log_likelihood"]

OF_SETS: tuple[Similarity, ...] = ("set_cosine", "jaccard", "log_likelihood")
"""Similarities that treat every rating as 1, and so depend only on counts."""

_COSINE, _ASYMMETRIC_COSINE, _JACCARD, _LOG_LIKELIHOOD = range(4)

_BYTES_PER_NEIGHBOUR = 2 * (4 + 8)
"""Bytes per neighbour: an index and a similarity, both stored twice (in the portions and in the joined arrays)."""


def cosine_neighbours(recommender: Plugin, rows: Rows, columns: Rows, k: int) -> Neighbours:
    """Find each row's k most similar other rows by sim(a, b) = a · b / sqrt(‖a‖² ‖b‖²), as `nearest_rows` does.

    Raises DesignError if the neighbours do not fit into the memory that ``recommender`` may use; the recommender must have a
    parameter k.
    """
    claim_neighbours(recommender, len(rows.indptr) - 1, k)
    return nearest_rows(rows, columns, k, "cosine")


def claim_neighbours(recommender: Plugin, n_rows: int, k: int, *, bytes_beside: int = 0) -> None:
    """Check that there is memory for the k neighbours of every row, with ``bytes_beside`` more bytes per neighbour.

    Raises
    ------
    DesignError
        If there is not enough memory. If k is above 100, the message suggests a lower k.
    """
    remedy = f"choose fewer neighbours: {recommender.spec.with_params(k=100)}" if k > 100 else "filter users or items"
    n_bytes = bytes_of_neighbours(n_rows, k, bytes_beside=bytes_beside)
    claim(recommender, n_bytes, f"the {min(k, n_rows):,} neighbours of {n_rows:,} rows", remedy)


def bytes_of_neighbours(n_rows: int, k: int, *, bytes_beside: int = 0) -> float:
    """Return the memory for the search of the k neighbours of every row, with ``bytes_beside`` more bytes per neighbour."""
    return (n_rows * (_BYTES_PER_NEIGHBOUR + bytes_beside) + min(n_rows, BLOCK) * _BYTES_PER_NEIGHBOUR) * min(k, n_rows)


def nearest_rows(rows: Rows, columns: Rows, k: int, similarity: Similarity, *, alpha: float = 0.5, overlap: int = 1) -> Neighbours:
    """Find each row's k most similar other rows.

    Values that are not stored count as 0. The similarity sim(a, b) of a row a and a possible neighbour b is

    - ``cosine``: a · b / ((‖a‖²)^α (‖b‖²)^(1 - α));
    - ``vector_jaccard``: a · b / (‖a‖² + ‖b‖² - a · b);
    - ``set_cosine``, ``jaccard``: ``cosine`` and ``vector_jaccard`` of vectors with a 1 for each stored value;
    - ``log_likelihood``: 1 - 1 / (1 + Λ), where Λ >= 0 is Dunning's (1993) statistic 2 Σ O ln(O / E) for the numbers of columns
      stored in both rows, only in a, only in b, and in neither. Λ is also large if the rows share fewer columns than expected by
      chance.

    Rows with a · b = 0, or with fewer than ``overlap`` columns in common, are not neighbours, so a row may have fewer than k. If
    rows with the same similarity compete for the last places, the higher index wins.

    Parameters
    ----------
    rows, columns
        The same matrix by its rows and by its columns.
    k
        Size of a neighbourhood, >= 1.
    similarity
        One of the measures listed here.
    alpha
        α, from 0 to 1; only for ``cosine`` and ``set_cosine``.
    overlap
        Fewest columns that neighbours have in common, >= 1.

    Returns
    -------
    indptr, neighbours, similarities
        Row r has the neighbours ``neighbours[indptr[r]:indptr[r + 1]]``, ascending, with their similarities at the same indices.
    """
    if similarity in OF_SETS:
        rows, columns = (part._replace(values=np.ones_like(part.values)).frozen() for part in (rows, columns))
    n_rows, n_columns = len(rows.indptr) - 1, len(columns.indptr) - 1
    row_of_entry = np.repeat(np.arange(n_rows), np.diff(rows.indptr))
    squared = np.bincount(row_of_entry, weights=rows.values**2, minlength=n_rows).astype(np.float64)
    measure = _measure(similarity, alpha)
    table = _table(measure, squared, alpha, n_columns)
    fill = partial(_fill_block, rows, columns, squared, measure, alpha, table, overlap)
    return neighbours_of_all(n_rows, k, fill, "neighbours by similarity")


def most_visited(rows: Rows, columns: Rows, penalties: Floats, k: int) -> Neighbours:
    """Find each row's k other rows with the largest Σ_c a_rc b_cs / penalty_s, which are their values, as `nearest_rows` does.

    ``rows`` are the rows of a, and ``columns`` those of b; row s of a and column s of b are the same item.
    """
    # With α = 0, an asymmetric cosine is a product divided by a number of the other row alone.
    fill = partial(_fill_block, rows, columns, np.ones_like(penalties), _ASYMMETRIC_COSINE, 0.0, penalties, 1)
    return neighbours_of_all(len(penalties), k, fill, "items reached by walks")


def _measure(similarity: Similarity, alpha: float) -> int:
    if similarity in {"cosine", "set_cosine"}:
        return _COSINE if alpha == 0.5 else _ASYMMETRIC_COSINE
    return _LOG_LIKELIHOOD if similarity == "log_likelihood" else _JACCARD


def _table(measure: int, squared: Floats, alpha: float, n_columns: int) -> Floats:
    """Return a table of terms that are too slow to compute for every pair: powers of row norms, or n ln n for all counts n."""
    if measure == _ASYMMETRIC_COSINE:
        return np.asarray(squared ** (1.0 - alpha))
    if measure == _LOG_LIKELIHOOD:
        counts = np.arange(n_columns + 1)
        return np.asarray(counts * np.log(np.maximum(counts, 1)))
    return np.empty(0)


@compiled(parallel=True)
def _fill_block(
    rows: Rows,
    columns: Rows,
    squared: Floats,
    measure: int,
    alpha: float,
    table: Floats,
    overlap: int,
    first: int,
    sizes: Ints,
    neighbours: Ids,
    similarities: Floats,
) -> None:
    n_rows = len(squared)
    for share in numba.prange(SHARES):
        products = np.zeros(n_rows)
        shared = np.zeros(n_rows, dtype=np.int32)
        candidates = np.empty(n_rows, dtype=np.int32)
        rivals = np.empty(n_rows)
        for index in range(share, len(sizes), SHARES):
            row = first + index
            products[:] = 0.0
            for entry in range(rows.indptr[row], rows.indptr[row + 1]):
                column, value = rows.indices[entry], rows.values[entry]
                for other in range(columns.indptr[column], columns.indptr[column + 1]):
                    products[columns.indices[other]] += value * columns.values[other]
            products[row] = 0.0
            if overlap > 1:
                # This is a separate pass, because counting together with the products would slow down the common case.
                _count_shared(rows, columns, row, shared)
            n_candidates = 0
            for other in range(n_rows):
                if products[other] != 0.0 and (overlap <= 1 or shared[other] >= overlap):
                    candidates[n_candidates] = other
                    rivals[n_candidates] = products[other]
                    n_candidates += 1
            _compare(row, candidates[:n_candidates], squared, measure, alpha, table, rivals[:n_candidates])
            sizes[index] = keep_best(candidates[:n_candidates], rivals[:n_candidates], neighbours[index], similarities[index])


@compiled()
def _compare(row: int, candidates: Ids, squared: Floats, measure: int, alpha: float, table: Floats, rivals: Floats) -> None:
    """Turn a row's products with its candidates into similarities, with a separate loop for each measure."""
    own = squared[row]
    if measure == _COSINE:
        for nth in range(len(candidates)):
            rivals[nth] = rivals[nth] / np.sqrt(own * squared[candidates[nth]])
    elif measure == _ASYMMETRIC_COSINE:
        power = own**alpha
        for nth in range(len(candidates)):
            rivals[nth] = rivals[nth] / (power * table[candidates[nth]])
    elif measure == _JACCARD:
        for nth in range(len(candidates)):
            rivals[nth] = rivals[nth] / (own + squared[candidates[nth]] - rivals[nth])
    else:
        n_columns = len(table) - 1
        for nth in range(len(candidates)):
            size, other_size, both = int(own), int(squared[candidates[nth]]), int(rivals[nth])
            cells = table[both] + table[size - both] + table[other_size - both] + table[n_columns - size - other_size + both]
            margins = table[size] + table[n_columns - size] + table[other_size] + table[n_columns - other_size]
            # Rounding can make a statistic of 0 negative.
            rivals[nth] = 1.0 - 1.0 / (1.0 + max(2.0 * (cells + table[n_columns] - margins), 0.0))


@compiled()
def _count_shared(rows: Rows, columns: Rows, row: int, shared: Ids) -> None:
    """Count the columns that each row shares with a given row."""
    shared[:] = 0
    for entry in range(rows.indptr[row], rows.indptr[row + 1]):
        column = rows.indices[entry]
        for other in range(columns.indptr[column], columns.indptr[column + 1]):
            shared[columns.indices[other]] += 1
