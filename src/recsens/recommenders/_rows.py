"""Sparse matrices by rows, in the form that kernels read."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

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
