"""Preference: whether a rating counts as itself, as 1, or as 1 if it is relevant."""

from typing import Literal

import numpy as np
from scipy.sparse import csr_array

from recsens.data.interactions import Interactions

Preference = Literal["rating", "binary", "positive"]

PREFERENCE_MEANING = "what counts as r: the rating, 1 for every rating, or 1 for those relevant by the scale (others are left out)"


def preferences(train: Interactions, preference: Preference) -> csr_array:
    """Return the ratings under a preference, shape (n_users, n_items), with sorted indices; 1 each in data without ratings.

    They are worked out once: users are scored in hundreds of blocks.
    """
    if preference == "rating" or train.rating is None:
        return train.matrix
    return train.once(("preferences", preference), lambda: _ones(counted(train, preference)))


def counted(train: Interactions, preference: Preference) -> Interactions:
    """Return the interactions that count under a preference."""
    return train.take(train.values >= train.scale.relevance) if preference == "positive" and train.rating is not None else train


def _ones(chosen: Interactions) -> csr_array:
    matrix = chosen.matrix
    return csr_array((np.ones_like(matrix.data), matrix.indices, matrix.indptr), shape=matrix.shape)
