"""Profiles as texts, in which a rating r means r occurrences of a word."""

import numpy as np
from scipy.sparse import csr_array

from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.recommenders import Floats


def occurrences(train: Interactions, recommender: str) -> csr_array:
    """Return the ratings from which probabilities are estimated, shape (n_users, n_items), with sorted indices.

    Raises DesignError if a rating is negative, because probabilities would be negative too.
    """
    lowest = train.values.min(initial=0.0)
    if lowest < 0:
        raise DesignError(
            f"a probability in proportion to ratings is not defined for the negative rating {lowest:g}",
            where=f"recommender '{recommender}'",
            allowed="ratings of 0 and above",
            remedy="leave negative ratings out with a filter, or choose another recommender for this data set",
        )
    return train.matrix


def column_shares(ratings: csr_array) -> Floats:
    """Return p(c|C), a column's share in the sum of all ratings; NaN for columns without a rating above 0."""
    sums = np.bincount(ratings.indices, weights=ratings.data, minlength=ratings.shape[1])
    total = float(sums.sum())
    return np.where(sums > 0, sums, np.nan) / (total if total > 0 else 1.0)


def row_sums(ratings: csr_array) -> Floats:
    """Return each row's rating sum, adding columns in ascending order."""
    rows = np.repeat(np.arange(ratings.shape[0]), np.diff(ratings.indptr))
    return np.bincount(rows, weights=ratings.data, minlength=ratings.shape[0]).astype(np.float64)
