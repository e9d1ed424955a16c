"""Ratings as linear models see them: unrated is 0, and 0 is unrated."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from recsens.arrays import Bools, Ints
from recsens.data.interactions import Interactions
from recsens.recommenders._preference import Preference, preferences


def zero_filled(train: Interactions, preference: Preference) -> csr_array:
    """Return the ratings under a preference, shape (n_users, n_items), with sorted indices and no stored zeros; worked out once."""
    return train.once(("zero filled", preference), lambda: _without_zeros(preferences(train, preference)))


def _without_zeros(matrix: csr_array) -> csr_array:
    if (matrix.data != 0).all():
        return matrix
    matrix = matrix.copy()
    matrix.eliminate_zeros()
    return matrix


def withhold_empty(scores: NDArray[np.floating[Any]], train: Interactions, preference: Preference, users: Ints) -> None:
    """Set the scores of users and items without a rating under a preference, other than 0, to NaN."""
    no_user, no_item = train.once(("empty", preference), lambda: _empty(zero_filled(train, preference)))
    scores[no_user[users], :] = np.nan
    scores[:, no_item] = np.nan


def _empty(matrix: csr_array) -> tuple[Bools, Bools]:
    """Return which rows and which columns have no stored value."""
    return np.diff(matrix.indptr) == 0, np.bincount(matrix.indices, minlength=matrix.shape[1]) == 0
