"""Non-negative matrix factorization of zero-filled ratings, by scikit-learn."""

import warnings
from typing import Self

import numpy as np
from pydantic import Field
from threadpoolctl import threadpool_limits

from recsens.data.interactions import Interactions
from recsens.recommenders import Ints, Reals, Recommender, SearchSpace
from recsens.recommenders._factors import factor_scores, uniform_draws
from recsens.recommenders._preference import PREFERENCE_MEANING, Preference, refuse_negative, withhold_empty, zero_filled


class NMF(Recommender):
    """s(u, i) = x_u · y_i, with non-negative factors that minimise Σ_{u,i} (r_ui - x_u · y_i)² + λ (n Σ_u ‖x_u‖² + m Σ_i ‖y_i‖²).

    The sum runs over all pairs of the m users and n items; r is 0 for a pair without a rating. Coordinate descent of scikit-learn
    starts from 2 sqrt(r̄ / K) U(0, 1), where r̄ is the mean over all pairs, and ends after the stated number of epochs, whether it
    has converged or not. It uses one thread, because BLAS sums depend on the number of threads.

    Users and items without ratings that count (other than 0) are not computable.
    """

    source = "Lee & Seung (1999); Cichocki & Phan (2009), algorithm 2, as in scikit-learn's NMF"
    also_called = ("non_negative_matrix_factorization", "nonnegmf")
    search_space = SearchSpace(
        "factors=log_uniform(low=2,high=200),preference=[rating,binary]",
        "Dacrema et al. (2021), up to 200 factors",
    )

    factors: int = Field(20, ge=1, le=1000, description="number K of factors")
    regularization: float = Field(0.0, ge=0, description="weight λ of the squared norms")
    epochs: int = Field(100, ge=1, le=10_000, description="rounds of coordinate descent")
    preference: Preference = Field("rating", description=PREFERENCE_MEANING)

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Factorise the ratings.

        Raises
        ------
        DesignError
            If a rating that counts is negative.
        """
        # Not above: the process that forks jobs imports every plug-in, and must not load OpenMP.
        from sklearn.decomposition import non_negative_factorization  # noqa: PLC0415 - as said
        from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415 - as said

        ratings = zero_filled(train, self.preference)
        refuse_negative(ratings.data, self, "the negative rating {:g} is no input of a non-negative factorization")
        # Any start serves data without ratings, but scikit-learn refuses one of zeros.
        size = 2 * np.sqrt(ratings.sum() / max(train.n_users * train.n_items * self.factors, 1)) or 1.0
        start = [size * uniform_draws(keys, self.factors, rng) for keys in (train.user_keys, train.item_keys)]
        with threadpool_limits(limits=1), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            users, items, _ = non_negative_factorization(
                ratings,
                W=start[0],
                H=np.ascontiguousarray(start[1].T),
                n_components=self.factors,
                init="custom",
                tol=0,
                max_iter=self.epochs,
                alpha_W=self.regularization,
            )
        self._learned = {"user_factors": users, "item_factors": np.ascontiguousarray(items.T)}
        return self

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Multiply the users' factors with all items' factors."""
        scores = factor_scores(train, users, self._learned["user_factors"], self._learned["item_factors"])
        withhold_empty(scores, train, self.preference, users)
        return scores
