"""Shrunk cosines, and sums over the k nearest rows that have a value."""

import numba
import numpy as np

from recsens.plugins.frozen import frozen
from recsens.recommenders import Floats, Ids, Ints
from recsens.recommenders._compiled import compiled
from recsens.recommenders._rows import Rows

_SHARES = 16
"""Number of portions of rows that threads share; the nth row is in portion n mod 16."""


def count_related(lines: Ints, rows: Rows, columns: Rows) -> Ints:
    """Count the other rows with which a row's product is not 0, for some rows, shape (len(lines),)."""
    sizes = np.zeros(len(lines), dtype=np.int64)
    _count_related(frozen(lines), rows, columns, sizes)
    return sizes


def shrunk_cosines(lines: Ints, sizes: Ints, rows: Rows, columns: Rows, shrinkage: float) -> Rows:
    """Return d_ab = n_ab / (n_ab + λ) · a · b / sqrt(‖a‖² ‖b‖²) of some rows a with all others b, where a · b is not 0.

    n_ab is the number of columns that both have. Unlike in other `Rows`, the b of a row are in descending order of d, and of the
    index among equals.

    Parameters
    ----------
    lines
        The rows a.
    sizes
        How many b each has, as `count_related` returns.
    rows, columns
        The matrix by its rows and by its columns.
    shrinkage
        λ, >= 0.
    """
    n_rows = len(rows.indptr) - 1
    row_of_entry = np.repeat(np.arange(n_rows), np.diff(rows.indptr))
    squared = np.bincount(row_of_entry, weights=rows.values**2, minlength=n_rows).astype(np.float64)
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    others, values = np.empty(indptr[-1], dtype=np.int32), np.empty(indptr[-1])
    _fill_cosines(frozen(lines), rows, columns, squared, shrinkage, indptr, others, values)
    return Rows(indptr, others, values).frozen()


def sums_of_nearest(cosines: Rows, known: Rows, k: int, n_columns: int) -> Floats:
    """Return Σ_{b in D} d_ab x_bc for all rows a and columns c; NaN where D is empty.

    Parameters
    ----------
    cosines
        d, as `shrunk_cosines` returns.
    known
        x. D are the first k of the b for which x_bc is stored; terms are added in their order.
    k
        Size of D at most, >= 1.
    n_columns
        Number of columns of x.
    """
    sums = np.full((len(cosines.indptr) - 1, n_columns), np.nan)
    _add_nearest(cosines.frozen(), known, k, sums)
    return sums


@compiled()
def _multiply(row: int, rows: Rows, columns: Rows, products: Floats, shared: Ids) -> None:
    """Compute a row's products with all others, and the number of columns they share; its own product is 0."""
    products[:] = 0.0
    shared[:] = 0
    for entry in range(rows.indptr[row], rows.indptr[row + 1]):
        column, value = rows.indices[entry], rows.values[entry]
        for other in range(columns.indptr[column], columns.indptr[column + 1]):
            products[columns.indices[other]] += value * columns.values[other]
            shared[columns.indices[other]] += 1
    products[row] = 0.0


@compiled(parallel=True)
def _count_related(lines: Ints, rows: Rows, columns: Rows, sizes: Ints) -> None:
    n_rows = len(rows.indptr) - 1
    for share in numba.prange(_SHARES):
        products, shared = np.empty(n_rows), np.empty(n_rows, dtype=np.int32)
        for index in range(share, len(lines), _SHARES):
            _multiply(lines[index], rows, columns, products, shared)
            sizes[index] = np.count_nonzero(products)


@compiled(parallel=True)
def _fill_cosines(
    lines: Ints, rows: Rows, columns: Rows, squared: Floats, shrinkage: float, indptr: Ints, others: Ids, values: Floats
) -> None:
    n_rows = len(squared)
    for share in numba.prange(_SHARES):
        products, shared = np.empty(n_rows), np.empty(n_rows, dtype=np.int32)
        for index in range(share, len(lines), _SHARES):
            row = lines[index]
            _multiply(row, rows, columns, products, shared)
            first, last = indptr[index], indptr[index + 1]
            end = first
            # From the highest index down: the sort is stable, so that among equals the higher index stays first.
            for other in range(n_rows - 1, -1, -1):
                if products[other] != 0.0:
                    others[end] = other
                    cosine = products[other] / np.sqrt(squared[row] * squared[other])
                    values[end] = shared[other] / (shared[other] + shrinkage) * cosine
                    end += 1
            order = np.argsort(-values[first:last], kind="mergesort")
            others[first:last] = others[first:last][order]
            values[first:last] = values[first:last][order]


@compiled()
def _add_nearest(cosines: Rows, known: Rows, k: int, sums: Floats) -> None:
    """Walk from the nearest on, and add its values to the columns that have fewer than k terms."""
    heard = np.empty(sums.shape[1], dtype=np.int32)
    for row in range(len(sums)):
        heard[:] = 0
        out = sums[row]
        for nth in range(cosines.indptr[row], cosines.indptr[row + 1]):
            other, value = cosines.indices[nth], cosines.values[nth]
            for entry in range(known.indptr[other], known.indptr[other + 1]):
                column = known.indices[entry]
                if heard[column] < k:
                    term = value * known.values[entry]
                    out[column] = term if heard[column] == 0 else out[column] + term
                    heard[column] += 1
