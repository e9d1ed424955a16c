"""Biases of items and users: how far they are from the mean rating."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recsens.arrays import Floats, Ints
from recsens.data.interactions import Interactions


class Biases(NamedTuple):
    """The terms of b_ui = μ + b_u + b_i.

    Attributes
    ----------
    mean
        μ, the mean rating; 0 without ratings.
    users, items
        b_u and b_i, shapes (n_users,) and (n_items,); 0 for users and items without ratings.
    """

    mean: float
    users: Floats
    items: Floats

    def residuals(self, train: Interactions) -> Floats:
        """Return r_ui - b_ui of every rating, in the order of ``train.matrix``."""
        matrix = train.matrix
        users = np.repeat(self.users, np.diff(matrix.indptr))
        return np.asarray(matrix.data - (self.mean + users + self.items[matrix.indices]))


def shrunk_biases(train: Interactions, of_items: float, of_users: float) -> Biases:
    """Return biases of items and users, shrunk towards 0 where there are few ratings.

    b_i = Σ_{u in U_i} (r_ui - μ) / (λ_I + |U_i|), then b_u = Σ_{i in I_u} (r_ui - μ - b_i) / (λ_U + |I_u|).

    Parameters
    ----------
    train
        The ratings.
    of_items, of_users
        λ_I and λ_U, >= 0.
    """
    ratings = train.matrix.data
    user, item = np.repeat(np.arange(train.n_users), train.user_counts), train.matrix.indices
    mean = float(ratings.mean()) if len(train) else 0.0
    items = _shrunk_means(item, ratings - mean, train.item_counts, of_items)
    users = _shrunk_means(user, ratings - mean - items[item], train.user_counts, of_users)
    return Biases(mean, users, items)


def _shrunk_means(group: NDArray[np.integer], values: Floats, sizes: Ints, shrinkage: float) -> Floats:
    sums = np.bincount(group, weights=values, minlength=len(sizes))
    # Without a rating the sum is 0, whatever the divisor.
    return np.asarray(sums / (shrinkage + np.maximum(sizes, 1)))
