"""What recommenders' kernels need: compilation with numba, and sparse matrices by rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from recsens.compiled.machine_code import njit
from recsens.plugins.frozen import frozen
from recsens.recommenders import Floats, Ids, Ints


class Rows(NamedTuple):
    """A sparse matrix in compressed rows. It is read-only and always has the same types; a kernel is therefore compiled only once.

    Attributes
    ----------
    indptr
        The entries of row r are at ``indptr[r]:indptr[r + 1]``, shape (n_rows + 1,).
    indices
        Columns, ascending within a row, shape (n,).
    values
        Stored values, including zeros, shape (n,).
    """

    indptr: Ints
    indices: Ids
    values: Floats

    @classmethod
    def of(cls, matrix: csr_array) -> Rows:
        """View a matrix with sorted indices by its rows."""
        return _rows(matrix.indptr, matrix.indices, matrix.data)

    @classmethod
    def of_columns(cls, matrix: csr_array) -> Rows:
        """Copy a matrix by its columns; row r of the result is column r of the matrix."""
        return cls.of(matrix.T.tocsr())

    def frozen(self) -> Rows:
        """View arrays that were read from a file as read-only arrays of these types."""
        return _rows(self.indptr, self.indices, self.values)


def _rows(indptr: NDArray[Any], indices: NDArray[Any], values: NDArray[Any]) -> Rows:
    return Rows(
        frozen(indptr.astype(np.int64, copy=False)),
        frozen(indices.astype(np.int32, copy=False)),
        frozen(values.astype(np.float64, copy=False)),
    )


F = TypeVar("F", bound=Callable[..., Any])


def compiled(*, parallel: bool = False, reorders_sums: bool = False, allocates: bool = True) -> Callable[[F], F]:
    """Compile a function when it is first called, and keep the machine code (`recsens.compiled.machine_code.njit`).

    Parameters
    ----------
    parallel
        Whether loops over ``numba.prange`` are spread over threads. Their iterations must write to separate memory; results are
        then the same for any number of threads.
    reorders_sums
        Whether the compiler may reorder sums to use vector units. The order is fixed at compilation, so every call on one machine
        gives the same results; on a processor with other vector units, the last bits of results may differ.
    allocates
        Whether the function, or a function that it calls, creates arrays. If not, numba need not count references to arrays. It
        counts them for every slice and often for every call, with operations for which all other reading and writing waits.
    """
    relaxed = {"contract", "reassoc"} if reorders_sums else False
    uncounted = {} if allocates else {"_nrt": False}
    return cast("Callable[[F], F]", njit(parallel=parallel, fastmath=relaxed, error_model="numpy", **uncounted))
