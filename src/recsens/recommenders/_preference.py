"""Preference: whether a rating counts with its value, as 1, or as 1 only if relevant. Unrated pairs are 0 in linear models."""

from typing import Literal

import numpy as np
from scipy.sparse import csr_array

from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.plugins import Plugin
from recsens.recommenders import Bools, Floats, Ints, Reals

Preference = Literal["rating", "binary", "positive"]

PREFERENCE_MEANING = (
    "the value of r, which is the rating itself, 1 for every rating, or 1 for every rating that is relevant by the data set's "
    "scale (others are left out)"
)


CHOOSE_A_PREFERENCE = "choose preference=binary or preference=positive, or leave negative ratings out with a filter"
LEAVE_NEGATIVE_OUT = "leave negative ratings out with a filter, or choose another recommender for this data set"


def preferences(train: Interactions, preference: Preference) -> csr_array:
    """Return the ratings under a preference, shape (n_users, n_items), with sorted indices; all are 1 in data without ratings.

    They are computed only once, because users are scored in hundreds of blocks.
    """
    if preference == "rating" or train.rating is None:
        return train.matrix
    return train.once(("preferences", preference), lambda: _ones_matrix(select_counted(train, preference)))


def select_counted(train: Interactions, preference: Preference) -> Interactions:
    """Return the interactions that count under a preference."""
    return train.take(train.values >= train.scale.relevance) if preference == "positive" and train.rating is not None else train


def _ones_matrix(chosen: Interactions) -> csr_array:
    matrix = chosen.matrix
    return csr_array((np.ones_like(matrix.data), matrix.indices, matrix.indptr), shape=matrix.shape)


def zero_filled(train: Interactions, preference: Preference) -> csr_array:
    """Return the ratings under a preference, shape (n_users, n_items), with sorted indices and no stored zeros; computed once."""
    return train.once(("zero filled", preference), lambda: _without_zeros(preferences(train, preference)))


def _without_zeros(matrix: csr_array) -> csr_array:
    if (matrix.data != 0).all():
        return matrix
    matrix = matrix.copy()
    matrix.eliminate_zeros()
    return matrix


def refuse_negative(ratings: Floats, recommender: Plugin, problem: str, remedy: str = CHOOSE_A_PREFERENCE) -> None:
    """Raise a DesignError if a rating that counts is negative; in ``problem``, ``{:g}`` stands for the lowest rating."""
    lowest = ratings.min(initial=0.0)
    if lowest < 0:
        where, allowed = f"recommender '{recommender.spec}'", "ratings of 0 and above"
        raise DesignError(problem.format(lowest), where=where, allowed=allowed, remedy=remedy)


def confidence(ratings: Floats, alpha: float, recommender: Plugin) -> Floats:
    """Return c = 1 + ``alpha`` r for every rating r; pairs without a rating have c = 1 (Hu, Koren & Volinsky 2008, section 4).

    Raises DesignError if a rating is negative, because its confidence would be lower than that of an unobserved pair.
    """
    problem = "the confidence 1 + alpha * rating is not defined for the negative rating {:g}"
    refuse_negative(ratings, recommender, problem, LEAVE_NEGATIVE_OUT)
    return 1.0 + alpha * ratings


def withhold_empty(scores: Reals, train: Interactions, preference: Preference, users: Ints) -> None:
    """Set scores to NaN for users and for items whose ratings are all 0 under a preference, and for those without ratings."""
    no_user, no_item = train.once(("empty", preference), lambda: _find_empty(zero_filled(train, preference)))
    scores[no_user[users], :] = np.nan
    scores[:, no_item] = np.nan


def _find_empty(matrix: csr_array) -> tuple[Bools, Bools]:
    """Return which rows and which columns have no stored value."""
    return np.diff(matrix.indptr) == 0, np.bincount(matrix.indices, minlength=matrix.shape[1]) == 0
