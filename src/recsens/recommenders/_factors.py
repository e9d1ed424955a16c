"""User and item factors: their initial values, a check that they stay finite, and scores as their products."""

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack
from scipy.special import ndtri

from recsens.data.interactions import Interactions, SideColumn, SideTable
from recsens.errors import DesignError
from recsens.plugins import Plugin
from recsens.recommenders import Floats, Ids, Ints, Reals, Recommender, SearchSpace
from recsens.recommenders._products import factor_products
from recsens.seeds import Stream

_HALF_STEP = 2.0**-54
_LARGEST = 1.0 - 2.0**-53


def uniform_draws(keys: Ints, factors: int, rng: np.random.Generator) -> Floats:
    """Draw from U(0, 1), without 0 and 1, for each user or item and factor, shape (len(keys), factors).

    A row depends only on its key: if a filter drops some users or items, the others still start from the same values.
    """
    stream = Stream(int(rng.integers(2**63)))
    draws = stream.uniform(keys[:, np.newaxis], np.arange(factors)) + _HALF_STEP
    # Half a step more than the largest draw would be rounded to 1.
    return np.minimum(draws, _LARGEST)


def normal_draws(keys: Ints, factors: int, deviation: float, rng: np.random.Generator) -> Floats:
    """Draw from N(0, ``deviation``²) for each user or item and factor, as `uniform_draws` does, shape (len(keys), factors)."""
    return np.asarray(deviation * ndtri(uniform_draws(keys, factors, rng)))


def refuse_divergence(recommender: Plugin, parameters: Iterable[NDArray[Any]], remedy: str) -> None:
    """Refuse fitted parameters that are not finite.

    Raises DesignError if a parameter is infinite or NaN.
    """
    if not all(np.isfinite(each).all() for each in parameters):
        raise DesignError("fitting diverged: factors are not finite", where=f"recommender '{recommender.spec}'", remedy=remedy)


def factor_scores(train: Interactions, users: Ints, user_factors: Reals, item_factors: Reals) -> Floats:
    """Return s(u, i) = p_u · q_i for some users and all items, shape (len(users), n_items).

    Users and items without train ratings have NaN.
    """
    scores = factor_products(user_factors[users], item_factors)
    scores[train.user_counts[users] == 0, :] = np.nan
    scores[:, train.item_counts == 0] = np.nan
    return scores


class BiasedFactors(Recommender):
    """s(u, i) = μ + b_u + b_i + p_u · q_i."""

    search_space = SearchSpace(
        "epochs=log_uniform(low=5,high=100),factors=log_uniform(low=4,high=200),"
        "learning_rate=log_uniform(low=0.001,high=0.02),regularization=log_uniform(low=0.001,high=0.5)",
        "Dacrema et al. (2021), FunkSVD, around the values of Koren, Bell & Volinsky (2009)",
    )

    def _store_learnt(self, mean: float, users: Floats, items: Floats) -> Self:
        """Store μ, and the biases (the first column) and factors (the others) of users and items."""
        self._learned = {
            "mean": np.array([mean]),
            "user_biases": users[:, 0].copy(),
            "user_factors": users[:, 1:].copy(),
            "item_biases": items[:, 0].copy(),
            "item_factors": items[:, 1:].copy(),
        }
        return self

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Add up biases and the product of the factors."""
        learned = self._learned
        biases = learned["mean"] + learned["user_biases"][users, np.newaxis] + learned["item_biases"]
        return np.asarray(biases + factor_products(learned["user_factors"][users], learned["item_factors"]))


def side_features(n: int, table: SideTable | None) -> csr_array:
    """Return n rows' features: one for each level of a category or set, and one for each numeric column.

    A number is standardised over the rows with a value; a set of n levels has 1/n at each of them. Rows without a value have zeros.
    A level that no row has, perhaps because only test ratings have it, is a feature too; its only effect is that more numbers are
    drawn.
    """
    columns = () if table is None else table.columns.values()
    features = csr_array(hstack([csr_array((n, 0)), *map(_scaled, columns)], format="csr"))
    features.sort_indices()
    return features


def means_by_user(rows: Floats, user: Ids, n_users: int) -> Floats:
    """Return the mean of each user's rows; users without rows get the mean of all rows. ``user`` gives the user of each row.

    The context of future interactions is unknown; the mean of past contexts is the best guess.
    """
    counts = np.bincount(user, minlength=n_users)
    weights = csr_array((1.0 / counts[user], (user, np.arange(len(user)))), shape=(n_users, len(user)))
    means = np.asarray(weights @ rows)
    if len(user):
        means[counts == 0] = rows.mean(axis=0)
    return means


def _scaled(column: SideColumn) -> csr_array:
    features = csr_array(column.features, copy=True)
    if column.kind == "number":
        known = features.data
        spread = known.std() if len(known) else 0.0
        features.data = (known - known.mean()) / spread if spread > 0 else np.zeros_like(known)
    else:
        sizes = np.diff(features.indptr)
        features.data = np.repeat(1.0 / np.maximum(sizes, 1), sizes)
    return features
