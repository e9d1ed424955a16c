"""Code shared by the two NNCosNgbr recommenders: parameters, biases, and which pairs are computable."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy.sparse import csr_array

from recsens.data.interactions import Interactions
from recsens.recommenders import Floats, Ints, Reals, Recommender

BYTES_PER_SIMILARITY = 4 + 8
"""Bytes per similarity: an index and a value."""


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
        """Return r_ui - b_ui for every rating, in the order of ``train.matrix``."""
        matrix = train.matrix
        users = np.repeat(self.users, np.diff(matrix.indptr))
        return np.asarray(matrix.data - (self.mean + users + self.items[matrix.indices]))


def shrunk_biases(train: Interactions, of_items: float, of_users: float) -> Biases:
    """Return the biases of items and users; with few ratings, they are shrunk towards 0.

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
    # Without ratings the sum is 0, whatever the divisor.
    return np.asarray(sums / (shrinkage + np.maximum(sizes, 1)))


class NNCos(Recommender):
    """Scores that are biases plus a sum of the neighbours' residual ratings."""

    source = "Cremonesi, Koren & Turrin (2010), section 3.2, NNCosNgbr; Koren (2008) for shrinkage; defaults of the authors' code"
    n_threads = 2

    k: int = Field(200, ge=1, le=100_000, description="number of neighbours for a pair of user and item")
    shrinkage: float = Field(100.0, ge=0, le=1e6, description="λ_D, which shrinks cosines of few common ratings towards 0")
    remove_biases: bool = Field(
        True, description="whether biases are subtracted from ratings and added to scores; if not, ratings themselves are summed"
    )
    item_shrinkage: float = Field(
        25.0, ge=0, le=1e6, description="λ_I, which shrinks the biases of items with few ratings towards 0"
    )
    user_shrinkage: float = Field(
        10.0, ge=0, le=1e6, description="λ_U, which shrinks the biases of users with few ratings towards 0"
    )

    def _learn_biases(self, train: Interactions) -> None:
        """Store the terms of b_ui in ``learned``; all are 0 if biases are not removed."""
        biases = Biases(0.0, np.zeros(train.n_users), np.zeros(train.n_items))
        if self.remove_biases:
            biases = shrunk_biases(train, self.item_shrinkage, self.user_shrinkage)
        self._learned = {"mean": np.array([biases.mean]), "user_biases": biases.users, "item_biases": biases.items}

    def _residuals(self, train: Interactions) -> csr_array:
        """Return r_ui - b_ui, shape (n_users, n_items)."""
        matrix = train.matrix
        return csr_array((self._biases.residuals(train), matrix.indices, matrix.indptr), shape=matrix.shape)

    def _with_biases(self, train: Interactions, users: Ints, sums: Floats) -> Reals:
        """Add b_ui to the sums over neighbours, shape (len(users), n_items)."""
        if not self.remove_biases:
            return sums
        biases = self._biases
        scores = (biases.mean + biases.users[users, np.newaxis] + biases.items) + sums
        scores[:, train.item_counts == 0] = np.nan
        return np.asarray(scores)

    @property
    def _biases(self) -> Biases:
        learned = self._learned
        return Biases(float(learned["mean"][0]), learned["user_biases"], learned["item_biases"])
