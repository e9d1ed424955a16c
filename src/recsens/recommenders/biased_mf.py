"""Matrix factorization of ratings with biases, also known as SVD or FunkSVD with biases."""

from typing import Literal, Self

import numpy as np
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.recommenders import Floats, Ints, preset_field, progress, valcarce2018_ml1m
from recsens.recommenders._factors import BiasedFactors, normal_draws, refuse_divergence
from recsens.recommenders._kernels import Rows, compiled
from recsens.recommenders._least_squares import solve_rows


class BiasedMF(BiasedFactors):
    """s(u, i) = μ + b_u + b_i + p_u · q_i, with parameters that minimise a regularised sum of squares over the train ratings.

    The sum is Σ_{(u,i) in train} [(r_ui - s(u, i))² + λ (b_u² + b_i² + ‖p_u‖² + ‖q_i‖²)], where μ is the mean of the train ratings.
    Scores predict ratings, and the sum ignores unrated pairs. Rankings by such scores are therefore inherently poor.

    Factors start at N(0, 0.1²), biases at 0. ``sgd`` passes over the ratings, in a new random order every epoch, on one thread.
    ``als`` minimises the same sum in fewer epochs: it solves exactly for the biases and factors of all users, then of all items,
    and so on. Users or items are divided among threads.

    A user without train ratings has b_u = 0 and p_u = 0, and so gets the predictions μ + b_i. Items without train ratings are not
    computable.
    """

    source = "Koren, Bell & Volinsky (2009), factors with biases; defaults of Surprise, SVD; Zhou et al. (2008), ALS-WR, for als"
    predicts_ratings = True
    n_threads = 2
    presets = valcarce2018_ml1m(
        {"factors": 50, "regularization": 0.075, "epochs": 10, "solver": "als"},
        "Valcarce et al. (2018), SVD on MovieLens 1M: P@10 .0495, nDCG@10 .0512; parameters are not released",
    )
    also_called = ("svd", "funk_svd", "mf", "matrix_factorization")

    factors: int = Field(100, ge=1, le=1000, description="number K of latent factors")
    regularization: float = Field(0.02, ge=0, le=100, description="weight λ of the squared parameters, for each rating")
    epochs: int = Field(20, ge=1, le=10_000, description="passes over the ratings")
    solver: Literal["sgd", "als"] = Field("sgd", description="stochastic gradient descent, or alternating least squares")
    learning_rate: float = Field(0.005, gt=0, le=1, description="length of a step of sgd")
    preset: str | None = preset_field()

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Minimise the sum.

        Raises
        ------
        DesignError
            If the factors do not stay finite, because steps are too long or least squares have no solution.
        """
        mean = float(train.values.mean()) if len(train) else 0.0
        # The bias is the first column; least squares then solve for it together with the factors.
        users, items = (np.zeros((len(keys), 1 + self.factors)) for keys in (train.user_keys, train.item_keys))
        users[:, 1:] = normal_draws(train.user_keys, self.factors, 0.1, rng)
        items[:, 1:] = normal_draws(train.item_keys, self.factors, 0.1, rng)
        if self.solver == "sgd":
            self._fit_by_descent(train, mean, users, items, rng)
        else:
            self._fit_alternating(train, mean, users, items)
        refuse_divergence(self, (users, items), "lower learning_rate" if self.solver == "sgd" else "raise regularization")
        users[train.user_counts == 0] = 0.0
        items[train.item_counts == 0] = np.nan
        return self._store_learnt(mean, users, items)

    def _fit_by_descent(self, train: Interactions, mean: float, users: Floats, items: Floats, rng: np.random.Generator) -> None:
        rows = Rows.of(train.matrix)
        user_of_rating = np.repeat(np.arange(train.n_users), np.diff(rows.indptr))
        for _ in progress(range(self.epochs), "epochs of biased_mf"):
            order = rng.permutation(len(train))
            _descend(order, user_of_rating, rows, mean, self.learning_rate, self.regularization, users, items)

    def _fit_alternating(self, train: Interactions, mean: float, users: Floats, items: Floats) -> None:
        of_users, of_items = Rows.of(train.matrix), Rows.of_columns(train.matrix)
        for _ in progress(range(self.epochs), "epochs of biased_mf"):
            solve_side(of_users, mean, items, self.regularization, users)
            solve_side(of_items, mean, users, self.regularization, items)


def solve_side(rows: Rows, mean: float, fixed: Floats, regularization: float, out: Floats) -> None:
    """Solve for all users' biases and factors, given those of the items, or vice versa.

    The row x_r = (b_r, f_r) minimises Σ_j (r_rj - μ - b_j - b_r - f_r · f_j)² + λ n_r ‖x_r‖² over the n_r ratings j of row r.
    Divided by n_r, its normal equations have the form that `solve_rows` solves.
    """
    sizes = np.diff(rows.indptr)
    shares = np.repeat(1.0 / np.maximum(sizes, 1), sizes)
    left = rows.values - mean - fixed[rows.indices, 0]
    lines = fixed.copy()
    lines[:, 0] = 1.0
    solve_rows(rows.indptr, rows.indices, shares, shares * left, lines, regularization, False, out)


@compiled()
def _descend(
    order: Ints, user_of_rating: Ints, rows: Rows, mean: float, rate: float, regularization: float, users: Floats, items: Floats
) -> None:
    """Take a gradient step for one rating after another; biases are in the first column."""
    for nth in order:
        p, q = users[user_of_rating[nth]], items[rows.indices[nth]]
        error = rows.values[nth] - mean - p[0] - q[0]
        for f in range(1, len(p)):
            error -= p[f] * q[f]
        p[0] += rate * (error - regularization * p[0])
        q[0] += rate * (error - regularization * q[0])
        for f in range(1, len(p)):
            a, b = p[f], q[f]
            p[f] += rate * (error * b - regularization * a)
            q[f] += rate * (error * a - regularization * b)
