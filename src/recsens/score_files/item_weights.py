"""Weights between items: s(u, j) = Σ_i r_ui w_ij over the items i in the user's profile."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.files.scale import MAX_RATING
from recsens.score_files._archive import NamedArrays, names_in
from recsens.score_files._forms import ScoreFile

ARRAYS = ("items", "data", "indices", "indptr", "profile", "unreached")
"""The arrays of this form; ``profile`` and ``unreached`` may be missing."""


def read(arrays: NamedArrays) -> ScoreFile:
    """Read weights, with one row per profile item; they must be finite, and small enough for finite scores.

    Words are returned as arrays of text.

    Raises DataError if an array is missing, damaged or invalid.
    """
    items = names_in(arrays, "items")
    indptr, indices = rows_in(arrays, ("indptr", "indices"), len(items), len(items))
    data = arrays.finite("data", (len(indices),))
    words = {
        "profile": arrays.word("profile", ("ones", "ratings"), default="ones"),
        "unreached": arrays.word("unreached", ("zero", "none"), default="zero"),
    }
    rating = MAX_RATING if words["profile"] == "ratings" else 1.0
    with np.errstate(over="ignore"):
        arrays.refuse_overflow(np.bincount(indices, np.abs(data)).max(initial=0.0) * rating, {"data": data})
    found = {"indptr": indptr, "indices": indices, "data": data, **{name: np.array(word) for name, word in words.items()}}
    return ScoreFile(arrays.source, "item_weights", [], items, found)


def rows_in(arrays: NamedArrays, names: tuple[str, str], n_rows: int, n_columns: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Read the two arrays of a sparse matrix that contain the start of each row, and the columns in each row.

    Raises DataError if rows are not successive, or if a row contains a column twice or a column that does not exist.
    """
    of_rows, of_columns = names
    indptr = arrays.array(of_rows, "iu", (n_rows + 1,)).astype(np.int64, copy=False)
    indices = arrays.array(of_columns, "iu", (None,))
    if indptr[0] != 0 or (np.diff(indptr) < 0).any() or indptr[-1] != len(indices):
        allowed = f"numbers that never fall, from 0 to {len(indices)}, the length of '{of_columns}'"
        raise arrays.fault(of_rows, "does not divide the rows", allowed)
    if len(indices) and (int(indices.min()) < 0 or int(indices.max()) >= n_columns):
        wrong = next(int(end) for end in (indices.min(), indices.max()) if not 0 <= end < n_columns)
        raise arrays.fault(of_columns, f"contains {wrong}", f"0 to {n_columns - 1}")
    indices = indices.astype(np.int32, copy=False)
    pairs = np.repeat(np.arange(n_rows, dtype=np.int64), np.diff(indptr)) * n_columns + indices
    pairs.sort()
    again = np.flatnonzero(pairs[1:] == pairs[:-1])
    if len(again):
        row, column = divmod(int(pairs[again[0]]), n_columns)
        raise arrays.fault(of_columns, f"contains {column} twice in row {row}", "each column once per row")
    return indptr, indices
