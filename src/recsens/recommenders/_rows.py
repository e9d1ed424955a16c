"""Ratings row by row, as kernels read them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array


class Rows(NamedTuple):
    """A sparse matrix in compressed rows, read-only and always of the same types, so that a kernel is compiled once.

    Attributes
    ----------
    indptr
        Row r is at ``indptr[r]:indptr[r + 1]``, shape (n_rows + 1,).
    indices
        Columns, ascending within a row, shape (n,).
    values
        Stored values, zeros among them, shape (n,).
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    values: NDArray[np.float64]

    @classmethod
    def of(cls, matrix: csr_array) -> Rows:
        """View a matrix with sorted indices by its rows."""
        return cls(
            _frozen(matrix.indptr.astype(np.int64, copy=False)),
            _frozen(matrix.indices.astype(np.int32, copy=False)),
            _frozen(matrix.data.astype(np.float64, copy=False)),
        )

    @classmethod
    def of_columns(cls, matrix: csr_array) -> Rows:
        """Copy a matrix by its columns: row r of the result is column r of the matrix."""
        return cls.of(matrix.T.tocsr())


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.setflags(write=False)
    return view
