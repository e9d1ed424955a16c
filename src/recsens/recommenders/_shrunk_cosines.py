"""Shrunk cosines of rows, and sums over the k nearest rows that have a value."""

import numba
import numpy as np
from scipy.sparse import csr_array

from recsens.plugins.frozen import frozen
from recsens.recommenders import Floats, Ids, Ints
from recsens.recommenders._compiled import compiled
from recsens.recommenders._products import sums_of_dense_rows
from recsens.recommenders._rows import Rows

_SHARES = 16
"""Number of portions into which work is divided among threads; the nth row is in portion n mod 16."""

_LINES = 128
"""Number of rows handled together: their cosines, including zeros, take little memory, and their nearest rows stay in the cache."""


def count_related(lines: Ints, rows: Rows, columns: Rows) -> Ints:
    """For each of some rows, count the other rows with a product that is not 0, shape (len(lines),)."""
    sizes = np.zeros(len(lines), dtype=np.int64)
    _count_related(frozen(lines), rows, columns, sizes)
    return sizes


def shrunk_cosines(lines: Ints, sizes: Ints, rows: Rows, columns: Rows, shrinkage: float, *, in_order: bool = True) -> Rows:
    """Return d_ab = n_ab / (n_ab + λ) · a · b / sqrt(‖a‖² ‖b‖²) of some rows a with all others b, where a · b is not 0.

    n_ab is the number of columns that both rows have. Unlike in other `Rows`, the rows b of a row a are in descending order of d;
    equal values are in descending order of the index.

    Parameters
    ----------
    lines
        The rows a.
    sizes
        Number of b of each row, as returned by `count_related`.
    rows, columns
        The matrix by its rows and by its columns.
    shrinkage
        λ, >= 0.
    in_order
        Whether to sort the b of each row, which takes most of the time.
    """
    n_rows = len(rows.indptr) - 1
    row_of_entry = np.repeat(np.arange(n_rows), np.diff(rows.indptr))
    squared = np.bincount(row_of_entry, weights=rows.values**2, minlength=n_rows).astype(np.float64)
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    others, values = np.empty(indptr[-1], dtype=np.int32), np.empty(indptr[-1])
    _fill_cosines(frozen(lines), rows, columns, squared, shrinkage, in_order, indptr, others, values)
    return Rows(indptr, others, values).frozen()


def sums_of_nearest(cosines: Rows, known: Rows, k: int, n_rows: int, *, with_gaps: bool) -> Floats:
    """Return Σ_{b in D} d_ab x_bc, shape (number of columns c, number of rows a).

    D are the k rows b with the highest d_ab among the rows with a stored x_bc. If there are at most k such rows, D contains all of
    them.

    Parameters
    ----------
    cosines
        d, as `shrunk_cosines` returns it. If any column of x has more than k stored values, each row must be sorted by descending d
        (``in_order=True``).
    known
        x, stored column by column.
    k
        Greatest size of D, >= 1.
    n_rows
        Number of rows b.
    with_gaps
        Whether sums over an empty D are NaN; otherwise they are 0.
    """
    n_lines, n_columns = len(cosines.indptr) - 1, len(known.indptr) - 1
    sums = np.full((n_columns, n_lines), np.nan if with_gaps else 0.0)
    sizes = np.diff(known.indptr)
    small = np.flatnonzero(sizes <= k)
    met = Rows(known.indptr, known.indices, np.ones(len(known.values)))
    of_line = csr_array((cosines.values, cosines.indices, cosines.indptr), shape=(n_lines, n_rows))
    for first in range(0, n_lines if len(small) else 0, _LINES):
        similar = of_line[first : first + _LINES].toarray(order="F").T
        found = sums_of_dense_rows(small, known, similar)
        if with_gaps:
            found[sums_of_dense_rows(small, met, (similar != 0).astype(np.float64)) == 0] = np.nan
        sums[small, first : first + _LINES] = found
    # If n of all N rows have a value, about k N / n rows are visited to find k of them.
    is_short = (sizes > k) & (sizes**2 > k * n_rows)
    _walk(frozen(np.flatnonzero(is_short)), cosines.frozen(), known.frozen(), k, n_rows, sums)
    rest = np.flatnonzero((sizes > k) & ~is_short)
    if len(rest):
        of_column = csr_array((known.values, known.indices, known.indptr), shape=(n_columns, n_rows))
        _add_nearest(frozen(rest), cosines.frozen(), Rows.of_columns(of_column[rest]), k, sums)
    return sums


@compiled()
def _multiply(row: int, rows: Rows, columns: Rows, products: Floats, shared: Ids) -> None:
    """Compute a row's products with all other rows, and the numbers of shared columns; its product with itself is set to 0."""
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
    lines: Ints,
    rows: Rows,
    columns: Rows,
    squared: Floats,
    shrinkage: float,
    in_order: bool,
    indptr: Ints,
    others: Ids,
    values: Floats,
) -> None:
    n_rows = len(squared)
    for share in numba.prange(_SHARES):
        products, shared = np.empty(n_rows), np.empty(n_rows, dtype=np.int32)
        for index in range(share, len(lines), _SHARES):
            row = lines[index]
            _multiply(row, rows, columns, products, shared)
            first, last = indptr[index], indptr[index + 1]
            end = first
            # Go from the highest index down; because the sort is stable, the higher index comes first among equals.
            for other in range(n_rows - 1, -1, -1):
                if products[other] != 0.0:
                    others[end] = other
                    cosine = products[other] / np.sqrt(squared[row] * squared[other])
                    values[end] = shared[other] / (shared[other] + shrinkage) * cosine
                    end += 1
            if in_order:
                order = np.argsort(-values[first:last], kind="mergesort")
                others[first:last] = others[first:last][order]
                values[first:last] = values[first:last][order]


@compiled()
def _walk(columns: Ints, cosines: Rows, known: Rows, k: int, n_rows: int, sums: Floats) -> None:
    """For each column, visit rows in order, nearest first, until k of them have a value."""
    is_known, values = np.zeros(n_rows, dtype=np.bool_), np.zeros(n_rows)
    n_lines = sums.shape[1]
    for first in range(0, n_lines, _LINES):
        for column in columns:
            start, end = known.indptr[column], known.indptr[column + 1]
            for entry in range(start, end):
                is_known[known.indices[entry]], values[known.indices[entry]] = True, known.values[entry]
            for line in range(first, min(first + _LINES, n_lines)):
                total, n = 0.0, 0
                for nth in range(cosines.indptr[line], cosines.indptr[line + 1]):
                    other = cosines.indices[nth]
                    if is_known[other]:
                        total += cosines.values[nth] * values[other]
                        n += 1
                        if n == k:
                            break
                if n > 0:
                    sums[column, line] = total
            for entry in range(start, end):
                is_known[known.indices[entry]] = False


@compiled()
def _add_nearest(columns: Ints, cosines: Rows, known: Rows, k: int, sums: Floats) -> None:
    """Visit rows in order, nearest first, for all columns at once, until all have k terms; add values to those with fewer."""
    heard, totals = np.empty(len(columns), dtype=np.int32), np.empty(len(columns))
    for line in range(sums.shape[1]):
        heard[:] = 0
        totals[:] = 0.0
        n_left = len(columns)
        for nth in range(cosines.indptr[line], cosines.indptr[line + 1]):
            if n_left == 0:
                break
            other, value = cosines.indices[nth], cosines.values[nth]
            for entry in range(known.indptr[other], known.indptr[other + 1]):
                c = known.indices[entry]
                if heard[c] < k:
                    totals[c] += value * known.values[entry]
                    heard[c] += 1
                    n_left -= heard[c] == k
        for c in range(len(columns)):
            if heard[c] > 0:
                sums[columns[c], line] = totals[c]
