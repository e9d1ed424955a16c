"""Matrix factorization of implicit feedback, with the rating as the preference."""

from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.recommenders import Floats, Ints, Preset, Presets, Reals, Recommender, SearchSpace, preset_field, progress
from recsens.recommenders._factors import factor_scores
from recsens.recommenders._kernels import Rows
from recsens.recommenders._least_squares import solve_rows
from recsens.recommenders._preference import confidence, withhold_empty, zero_filled
from recsens.seeds import Stream


class HKV(Recommender):
    """s(u, i) = x_u · y_i, with factors that minimise Σ_{u,i} c_ui (p_ui - x_u · y_i)² + λ (Σ_u ‖x_u‖² + Σ_i ‖y_i‖²).

    The sum runs over all pairs. A pair without a rating has p = 0 and c = 1. A pair with a rating r has c = 1 + α r; its preference
    p is r itself (``rating``, as in RankSys) or 1 if r > 0 (``binary``, as in the paper).

    Alternating least squares finds exact solutions in float64. The users' factors start at sqrt(1 / K) U(0, 1). An epoch solves for
    the items, then for the users. A rating of 0 counts as no rating: it has p = 0 and c = 1. Users and items without train ratings
    above 0 have zero factors, and their pairs are not computable. BLAS is not used, so the factors have the same bytes at any
    number of threads.

    The default λ and α come from RankSys' example. With them, P@10 on MovieLens 1M is .418, nearly the .423 that Cañamares et al.
    report for "MF"; with the λ = 1 and α = 0.1 printed in that paper, it is only .379.
    """

    source = "Hu, Koren & Volinsky (2008), equations 3-5; RankSys, HKVFactorizer"
    n_threads = 2
    presets: ClassVar[Presets] = {
        "canamares2020": Preset(
            {"factors": 50, "regularization": 0.1, "alpha": 1.0, "epochs": 20, "preference": "rating"},
            "Cañamares, Castells & Moffat (2020), MF on MovieLens 1M, with the λ and α that meet the printed values",
            calibrated_on_test=True,
        ),
        "canamares2020-as-printed": Preset(
            {"factors": 50, "regularization": 1.0, "alpha": 0.1, "epochs": 20, "preference": "rating"},
            "Cañamares, Castells & Moffat (2020), MF on MovieLens 1M, with the λ and α printed there",
        ),
    }
    also_called = ("hu_koren_volinsky",)
    search_space = SearchSpace(
        "alpha=log_uniform(low=0.1,high=100),factors=log_uniform(low=4,high=128),preference=[rating,binary],"
        "regularization=log_uniform(low=0.001,high=100)",
        "Dacrema et al. (2021), with penalties on the scale of Hu, Koren & Volinsky (2008)",
    )

    factors: int = Field(50, ge=1, le=1000, description="number K of latent factors")
    regularization: float = Field(0.1, gt=0, description="weight λ of the squared norms")
    alpha: float = Field(1.0, ge=0, description="growth α of the confidence with the rating")
    epochs: int = Field(20, ge=1, le=1000, description="rounds in which all factors are solved for")
    preference: Literal["rating", "binary"] = Field(
        "rating", description="the preference p of a rated pair, which is the rating itself, or 1 if the rating is above 0"
    )
    preset: str | None = preset_field()

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Alternate between items and users.

        Raises
        ------
        DesignError
            If a rating is negative, or the systems of equations cannot be solved in float64.
        """
        ratings = zero_filled(train, "rating")
        of_users, of_items = Rows.of(ratings), Rows.of_columns(ratings)
        users, items = self._equation_terms(of_users), self._equation_terms(of_items)
        user_factors = initial_factors(train.user_keys, self.factors, rng)
        user_factors[np.diff(of_users.indptr) == 0] = 0.0
        item_factors = np.zeros((train.n_items, self.factors))
        for _ in progress(range(self.epochs), "epochs of hkv"):
            solve_rows(of_items.indptr, of_items.indices, *items, user_factors, self.regularization, True, item_factors)
            solve_rows(of_users.indptr, of_users.indices, *users, item_factors, self.regularization, True, user_factors)
        if not (np.isfinite(user_factors).all() and np.isfinite(item_factors).all()):
            raise DesignError(
                f"the least-squares systems are singular at regularization = {self.regularization:g}",
                where=f"recommender '{self.spec}'",
                remedy="raise regularization, or lower factors",
            )
        self._learned = {"user_factors": user_factors, "item_factors": item_factors}
        return self

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Multiply the users' factors with all items' factors."""
        scores = factor_scores(train, users, self._learned["user_factors"], self._learned["item_factors"])
        withhold_empty(scores, train, "rating", users)
        return scores

    def _equation_terms(self, rows: Rows) -> tuple[Floats, Floats]:
        """Return c - 1 and c p of every rating."""
        certain = confidence(rows.values, self.alpha, self)
        preferred = rows.values if self.preference == "rating" else (rows.values > 0).astype(np.float64)
        return certain - 1.0, certain * preferred


def initial_factors(user_keys: Ints, factors: int, rng: np.random.Generator) -> Floats:
    """Draw sqrt(1 / K) U(0, 1) for each user, shape (n_users, K).

    A user's draws depend only on the user's key: if a filter drops some users, the others start from the same values.
    """
    draws = Stream(int(rng.integers(2**63))).uniform(user_keys[:, None], np.arange(factors))
    return np.asarray(np.sqrt(1.0 / factors) * draws)
