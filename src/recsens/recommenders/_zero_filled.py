"""Ratings as linear models see them: unrated is 0, and 0 is unrated."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from recsens.interactions import Interactions
from recsens.recommenders._preference import Preference, preferences


def zero_filled(train: Interactions, preference: Preference) -> csr_array:
    """Return the ratings under a preference, shape (n_users, n_items), with sorted indices and no stored zeros."""
    matrix = preferences(train, preference)
    if (matrix.data != 0).all():
        return matrix
    matrix = matrix.copy()
    matrix.eliminate_zeros()
    return matrix


def withhold_empty(scores: NDArray[np.floating[Any]], matrix: csr_array, users: NDArray[np.int64]) -> None:
    """Set the scores of users and items without a stored value in the matrix to NaN."""
    scores[np.diff(matrix.indptr)[users] == 0, :] = np.nan
    scores[:, np.bincount(matrix.indices, minlength=matrix.shape[1]) == 0] = np.nan
