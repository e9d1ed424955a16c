"""Neighbours by similarity: find, for each row of a sparse matrix, the k most similar rows."""

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Literal, NamedTuple

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


def neighbours_of_all(
    n_rows: int, ks: Collection[int], fill: Callable[[int, Ints, Ints, Ids, Floats], None], what: str
) -> list[Neighbours]:
    """Find each row's neighbours in one or several ways, at most k in each and fewer than ``n_rows``; show progress as ``what``.

    ``fill`` is called with the first row of a block, with ``ends``, and with three arrays to fill in: the numbers of neighbours,
    with a row for each way and a column for each row of the block, the neighbours, and their values, both with a row for each row
    of the block, in which way w has the columns ``ends[w]:ends[w + 1]``.
    """
    ends = np.concatenate([[0], np.cumsum([min(k, max(n_rows - 1, 1)) for k in ks])])
    sizes = np.zeros((len(ks), n_rows), dtype=np.int64)
    parts: list[list[tuple[Ids, Floats]]] = [[(np.empty(0, dtype=np.int32), np.empty(0))] for _ in ks]
    for first in progress(range(0, n_rows, BLOCK), what):
        own = np.zeros((len(ks), min(BLOCK, n_rows - first)), dtype=np.int64)
        nearest, values = np.empty((own.shape[1], ends[-1]), dtype=np.int32), np.empty((own.shape[1], ends[-1]))
        fill(first, ends, own, nearest, values)
        sizes[:, first : first + BLOCK] = own
        for way, part in enumerate(parts):
            columns = slice(ends[way], ends[way + 1])
            used = np.arange(ends[way + 1] - ends[way]) < own[way][:, np.newaxis]
            part.append((nearest[:, columns][used], values[:, columns][used]))
    return [
        (np.concatenate([[0], np.cumsum(each)]), *map(np.concatenate, zip(*part, strict=True)))  # type: ignore[misc]
        for each, part in zip(sizes, parts, strict=True)
    ]


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


class Measure(NamedTuple):
    """What makes rows neighbours; for its parts, see `nearest_rows`."""

    similarity: Similarity
    alpha: float = 0.5
    overlap: int = 1


class _Ways(NamedTuple):
    """Arrays with an entry for each way of comparing rows; ``tables`` are terms that are too slow to compute for every pair."""

    formulas: Ints
    alphas: Floats
    overlaps: Ints
    tables: Floats


_COSINE, _ASYMMETRIC_COSINE, _JACCARD, _LOG_LIKELIHOOD = range(4)

_BYTES_PER_NEIGHBOUR = 2 * (4 + 8)
"""Bytes per neighbour: an index and a similarity, both stored twice (in the portions and in the joined arrays)."""


def cosine_neighbours(recommender: Plugin, rows: Rows, columns: Rows, k: int) -> Neighbours:
    """Find each row's k most similar other rows by sim(a, b) = a · b / sqrt(‖a‖² ‖b‖²), as `nearest_rows` does.

    Raises DesignError if the neighbours do not fit into the memory that ``recommender`` may use; the recommender must have a
    parameter k.
    """
    claim_neighbours(recommender, len(rows.indptr) - 1, [k])
    cosine = Measure("cosine")
    return nearest_rows(rows, columns, {cosine: k})[cosine]


def claim_neighbours(recommender: Plugin, n_rows: int, ks: Collection[int], *, bytes_beside: int = 0) -> None:
    """Check that there is memory for the k neighbours of every row, for each k, with ``bytes_beside`` more bytes per neighbour.

    Raises
    ------
    DesignError
        If there is not enough memory. If a k is above 100, the message suggests a lower k.
    """
    k = sum(min(each, n_rows) for each in ks)
    remedy = f"choose fewer neighbours: {recommender.spec.with_params(k=100)}" if max(ks) > 100 else "filter users or items"
    n_bytes = sum(bytes_of_neighbours(n_rows, each, bytes_beside=bytes_beside) for each in ks)
    claim(recommender, n_bytes, f"the {k:,} neighbours of {n_rows:,} rows", remedy)


def bytes_of_neighbours(n_rows: int, k: int, *, bytes_beside: int = 0) -> float:
    """Return the memory for the search of the k neighbours of every row, with ``bytes_beside`` more bytes per neighbour."""
    return (n_rows * (_BYTES_PER_NEIGHBOUR + bytes_beside) + min(n_rows, BLOCK) * _BYTES_PER_NEIGHBOUR) * min(k, n_rows)


def nearest_rows(rows: Rows, columns: Rows, sought: Mapping[Measure, int]) -> dict[Measure, Neighbours]:
    """Find each row's k most similar other rows by one or several measures, whose products of rows are computed only once.

    Values that are not stored count as 0. ``set_cosine``, ``jaccard`` and ``log_likelihood`` need rows whose stored values are all
    1; the first two are then the same as ``cosine`` and ``vector_jaccard``. The similarity sim(a, b) of a row a and a possible
    neighbour b is

    - ``cosine``: a · b / ((‖a‖²)^α (‖b‖²)^(1 - α)), with α from 0 to 1, ``alpha``;
    - ``vector_jaccard``: a · b / (‖a‖² + ‖b‖² - a · b);
    - ``log_likelihood``: 1 - 1 / (1 + Λ), where Λ >= 0 is Dunning's (1993) statistic 2 Σ O ln(O / E) for the numbers of columns
      stored in both rows, only in a, only in b, and in neither. Λ is also large if the rows share fewer columns than expected by
      chance.

    Rows with a · b = 0, or with fewer than ``overlap`` columns in common, are not neighbours, so a row may have fewer than k. If
    rows with the same similarity compete for the last places, the higher index wins.

    Parameters
    ----------
    rows, columns
        The same matrix by its rows and by its columns.
    sought
        The size k >= 1 of a neighbourhood by each measure.

    Returns
    -------
    indptr, neighbours, similarities
        By each measure, row r has the neighbours ``neighbours[indptr[r]:indptr[r + 1]]``, ascending, with their similarities at the
        same indices.
    """
    n_rows, n_columns = len(rows.indptr) - 1, len(columns.indptr) - 1
    row_of_entry = np.repeat(np.arange(n_rows), np.diff(rows.indptr))
    squared = np.bincount(row_of_entry, weights=rows.values**2, minlength=n_rows).astype(np.float64)
    formulas = [*map(_formula, sought)]
    tables = np.zeros((len(sought), max(n_rows, n_columns + 1)))
    for table, formula, measure in zip(tables, formulas, sought, strict=True):
        _fill_table(table, formula, squared, measure.alpha, n_columns)
    alphas, overlaps = (np.array([getattr(each, part) for each in sought], of) for part, of in (("alpha", float), ("overlap", int)))
    ways = _Ways(np.array(formulas), alphas, overlaps, tables)
    # In rows of ones, products are the numbers of shared columns.
    is_counted = bool((overlaps > 1).any() and (rows.values != 1).any())
    fill = partial(_fill_block, rows, columns, squared, ways, is_counted)
    return dict(zip(sought, neighbours_of_all(n_rows, sought.values(), fill, "neighbours by similarity"), strict=True))


def most_visited(rows: Rows, columns: Rows, penalties: Floats, k: int) -> Neighbours:
    """Find each row's k other rows with the largest Σ_c a_rc b_cs / penalty_s, which are their values, as `nearest_rows` does.

    ``rows`` are the rows of a, and ``columns`` those of b; row s of a and column s of b are the same item.
    """
    # With α = 0, an asymmetric cosine is a product divided by a number of the other row alone.
    ways = _Ways(np.array([_ASYMMETRIC_COSINE]), np.zeros(1), np.ones(1, dtype=int), penalties[np.newaxis])
    fill = partial(_fill_block, rows, columns, np.ones_like(penalties), ways, False)
    return neighbours_of_all(len(penalties), [k], fill, "items reached by walks")[0]


def _formula(measure: Measure) -> int:
    if measure.similarity in {"cosine", "set_cosine"}:
        return _COSINE if measure.alpha == 0.5 else _ASYMMETRIC_COSINE
    return _LOG_LIKELIHOOD if measure.similarity == "log_likelihood" else _JACCARD


def _fill_table(table: Floats, formula: int, squared: Floats, alpha: float, n_columns: int) -> None:
    """Write down, where the formula needs them, powers of row norms, or n ln n for all counts n."""
    if formula == _ASYMMETRIC_COSINE:
        table[: len(squared)] = squared ** (1.0 - alpha)
    elif formula == _LOG_LIKELIHOOD:
        counts = np.arange(n_columns + 1)
        table[: n_columns + 1] = counts * np.log(np.maximum(counts, 1))


@compiled(parallel=True)
def _fill_block(
    rows: Rows,
    columns: Rows,
    squared: Floats,
    ways: _Ways,
    is_counted: bool,
    first: int,
    ends: Ints,
    sizes: Ints,
    neighbours: Ids,
    similarities: Floats,
) -> None:
    n_rows, n_columns = len(squared), len(columns.indptr) - 1
    for share in numba.prange(SHARES):
        products = np.zeros(n_rows)
        counts = np.zeros(n_rows)
        shared = counts if is_counted else products
        met, candidates = np.empty(n_rows, dtype=np.int32), np.empty(n_rows, dtype=np.int32)
        rivals = np.empty(n_rows)
        for index in range(share, sizes.shape[1], SHARES):
            row = first + index
            products[:] = 0.0
            for entry in range(rows.indptr[row], rows.indptr[row + 1]):
                column, value = rows.indices[entry], rows.values[entry]
                for other in range(columns.indptr[column], columns.indptr[column + 1]):
                    products[columns.indices[other]] += value * columns.values[other]
            products[row] = 0.0
            if is_counted:
                # This is a separate pass, because counting together with the products would slow down the common case.
                _count_shared(rows, columns, row, counts)
            n_met = 0
            for other in range(n_rows):
                if products[other] != 0.0:
                    met[n_met] = other
                    n_met += 1
            for way in range(len(ways.formulas)):
                n = _copy_overlapping(met[:n_met], products, shared, ways.overlaps[way], candidates, rivals)
                _compare(row, candidates[:n], squared, ways, way, n_columns, rivals[:n])
                kept = slice(ends[way], ends[way + 1])
                sizes[way, index] = keep_best(candidates[:n], rivals[:n], neighbours[index, kept], similarities[index, kept])


@compiled()
def _copy_overlapping(met: Ids, products: Floats, shared: Floats, overlap: int, candidates: Ids, rivals: Floats) -> int:
    """Copy the rows that share enough columns, with their products; return how many were copied."""
    n_candidates = 0
    for other in met:
        if overlap <= 1 or shared[other] >= overlap:
            candidates[n_candidates] = other
            rivals[n_candidates] = products[other]
            n_candidates += 1
    return n_candidates


@compiled()
def _compare(row: int, candidates: Ids, squared: Floats, ways: _Ways, way: int, n_columns: int, rivals: Floats) -> None:
    """Turn a row's products with its candidates into similarities, with a separate loop for each formula."""
    own, formula, alpha, table = squared[row], ways.formulas[way], ways.alphas[way], ways.tables[way]
    if formula == _COSINE:
        for nth in range(len(candidates)):
            rivals[nth] = rivals[nth] / np.sqrt(own * squared[candidates[nth]])
    elif formula == _ASYMMETRIC_COSINE:
        power = own**alpha
        for nth in range(len(candidates)):
            rivals[nth] = rivals[nth] / (power * table[candidates[nth]])
    elif formula == _JACCARD:
        for nth in range(len(candidates)):
            rivals[nth] = rivals[nth] / (own + squared[candidates[nth]] - rivals[nth])
    else:
        for nth in range(len(candidates)):
            size, other_size, both = int(own), int(squared[candidates[nth]]), int(rivals[nth])
            cells = table[both] + table[size - both] + table[other_size - both] + table[n_columns - size - other_size + both]
            margins = table[size] + table[n_columns - size] + table[other_size] + table[n_columns - other_size]
            # Rounding can make a statistic of 0 negative.
            rivals[nth] = 1.0 - 1.0 / (1.0 + max(2.0 * (cells + table[n_columns] - margins), 0.0))


@compiled()
def _count_shared(rows: Rows, columns: Rows, row: int, shared: Floats) -> None:
    """Count the columns that each row shares with a given row."""
    shared[:] = 0.0
    for entry in range(rows.indptr[row], rows.indptr[row + 1]):
        column = rows.indices[entry]
        for other in range(columns.indptr[column], columns.indptr[column + 1]):
            shared[columns.indices[other]] += 1.0
