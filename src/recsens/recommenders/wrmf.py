"""Weighted matrix factorization for implicit feedback, as implemented in the ``implicit`` library."""

from typing import Self

import numpy as np
from pydantic import Field
from scipy.sparse import csr_matrix
from threadpoolctl import threadpool_limits

from recsens.data.interactions import Interactions
from recsens.plugins import refuse_missing_extra
from recsens.recommenders import Ints, Reals, Recommender, SearchSpace, preset_field, valcarce2018_ml1m
from recsens.recommenders._factors import factor_scores
from recsens.recommenders._preference import confidence, withhold_empty


class WRMF(Recommender):
    """s(u, i) = x_u · y_i, with factors that minimise Σ_{u,i} c_ui (p_ui - x_u · y_i)² + λ (Σ_u ‖x_u‖² + Σ_i ‖y_i‖²).

    The sum runs over all pairs: p = 1 and c = 1 + α r where u rated i with r > 0, else p = 0 and c = 1.
    `implicit.als.AlternatingLeastSquares` fits the factors in float32, users before items in every epoch. It solves each system of
    equations by three steps of conjugate gradients, or exactly. The library reads stored values as confidences, so it receives 1 +
    α r.

    Users and items without train ratings above 0 are not computable. The recommender ``hkv`` fits the same model exactly in
    float64; it can also use the rating as the preference.
    """

    extra = "study"
    source = "Hu, Koren & Volinsky (2008), equations 3-5; Takács, Pilászy & Tikk (2011) for conjugate gradients"
    n_threads = 2
    presets = valcarce2018_ml1m(
        {"factors": 30, "regularization": 0.1, "alpha": 0.5, "epochs": 20},
        "Valcarce et al. (2018), WRMF on MovieLens 1M: P@10 .2844, nDCG@10 .3611; parameters are not released",
    )
    also_called = ("wmf", "weighted_mf", "als", "i_als", "implicit_als", "implicit_mf", "alternating_least_squares")
    search_space = SearchSpace(
        "alpha=log_uniform(low=0.1,high=100),factors=log_uniform(low=4,high=128),regularization=log_uniform(low=0.001,high=100)",
        "Dacrema et al. (2021), with penalties on the scale of Hu, Koren & Volinsky (2008)",
    )

    factors: int = Field(20, ge=1, le=1000, description="number K of latent factors")
    regularization: float = Field(10.0, gt=0, description="weight λ of the squared norms")
    alpha: float = Field(1.0, ge=0, description="growth α of the confidence with the rating")
    epochs: int = Field(20, ge=1, le=1000, description="rounds in which all factors are updated")
    exact: bool = Field(False, description="whether the systems of equations are solved exactly, which takes four times as long")
    preset: str | None = preset_field()

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Fit with implicit.

        Raises
        ------
        DesignError
            If a rating is negative.
        """
        refuse_missing_extra(type(self))
        from implicit.cpu.als import AlternatingLeastSquares  # noqa: PLC0415  # takes a second, which scoring does not need

        observed = self._confidences(train)
        seed = int(rng.integers(2**31))
        with threadpool_limits(limits=1, user_api="blas"):
            model = AlternatingLeastSquares(
                factors=self.factors,
                regularization=self.regularization,
                alpha=1.0,
                dtype=np.float32,
                use_cg=not self.exact,
                iterations=self.epochs,
                random_state=seed,
            )
            model.fit(observed, show_progress=False)
        self._learned = {"user_factors": model.user_factors, "item_factors": model.item_factors}
        return self

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Multiply the users' factors with all items' factors."""
        scores = factor_scores(train, users, self._learned["user_factors"], self._learned["item_factors"])
        withhold_empty(scores, train, "rating", users)
        return scores

    def _confidences(self, train: Interactions) -> csr_matrix:
        """Return 1 + α r for the positive ratings, float32; a rating of 0 counts as an unobserved pair."""
        ratings = train.matrix
        confidences = np.where(ratings.data > 0, confidence(ratings.data, self.alpha, self), 0.0).astype(np.float32)
        observed = csr_matrix((confidences, ratings.indices.copy(), ratings.indptr.copy()), shape=ratings.shape)
        observed.eliminate_zeros()
        return observed
