"""Bayesian personalised ranking as implemented in the ``implicit`` library, which draws unrated items by popularity."""

from typing import Literal, Self

import numpy as np
from pydantic import Field
from scipy.sparse import csr_matrix
from threadpoolctl import threadpool_limits

from recsens.data.interactions import Interactions
from recsens.plugins import refuse_absent
from recsens.recommenders import Ints, Reals, Recommender, SearchSpace
from recsens.recommenders._factors import factor_scores
from recsens.recommenders._preference import preferences


class BPRImplicit(Recommender):
    """s(u, i) = b_i + p_u · q_i, with parameters that maximise Σ_{(u,i,j)} [ln σ(s(u, i) - s(u, j)) - λ terms / 2].

    A triple (u, i, j) is a user, an item that the user rated, and an item that the user did not rate. j is the item of a random
    rating, so it is drawn in proportion to popularity; a triple in which u rated j is skipped. This lowers the scores of popular
    items. In ``bpr``, as in the paper, j is drawn uniformly. `implicit.bpr.BayesianPersonalizedRanking` fits the model in float32,
    with one λ for all parameters. Fitting runs on one thread, because with more threads results would depend on their timing.

    The defaults are implicit's, except ``learning_rate`` and ``epochs``, 0.01 and 100 there: with steps of 0.02, 50 epochs were
    better than 100 on validation data of three small data sets.

    Users and items without train ratings that count are not computable.
    """

    source = "Rendle, Freudenthaler, Gantner & Schmidt-Thieme (2009); implicit, BayesianPersonalizedRanking"
    extra = "study"
    pace = 5
    search_space = SearchSpace(
        "epochs=log_uniform(low=10,high=200),factors=log_uniform(low=4,high=128),"
        "learning_rate=log_uniform(low=0.005,high=0.3),regularization=log_uniform(low=0.00001,high=0.1)",
        "Dacrema et al. (2021), with longer steps, and epochs in place of early stopping",
    )

    factors: int = Field(100, ge=1, le=1000, description="number K of latent factors")
    learning_rate: float = Field(0.02, gt=0, le=1, description="length of a step")
    regularization: float = Field(0.01, ge=0, le=10, description="weight λ of the squared parameters of a triple")
    epochs: int = Field(50, ge=1, le=10_000, description="passes, each with as many triples as there are ratings")
    preference: Literal["binary", "positive"] = Field("binary", description="which ratings count, all or only relevant ones")

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Fit with the library implicit."""
        refuse_absent(type(self))
        from implicit.cpu.bpr import BayesianPersonalizedRanking  # noqa: PLC0415  # takes a second, which scoring does not need

        chosen = preferences(train, self.preference)
        observed = csr_matrix((np.ones(chosen.nnz, np.float32), chosen.indices.copy(), chosen.indptr.copy()), shape=chosen.shape)
        seed = int(rng.integers(2**31))
        with threadpool_limits(limits=1, user_api="blas"):
            model = BayesianPersonalizedRanking(
                factors=self.factors,
                learning_rate=self.learning_rate,
                regularization=self.regularization,
                iterations=self.epochs,
                dtype=np.float32,
                num_threads=1,
                random_state=seed,
            )
            model.fit(observed, show_progress=False)
        users, items = model.user_factors, model.item_factors
        users[np.diff(observed.indptr) == 0] = np.nan
        items[np.bincount(observed.indices, minlength=train.n_items) == 0] = np.nan
        # implicit stores an item's bias as its last factor; the last factor of users is 1.
        self._learned = {"user_factors": users, "item_factors": items}
        return self

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Multiply the users' factors with all items' factors, which include the items' biases."""
        return factor_scores(train, users, self._learned["user_factors"], self._learned["item_factors"])
