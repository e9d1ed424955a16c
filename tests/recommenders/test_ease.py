"""EASE: two items by hand, and every column as a separate ridge regression."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.files.scale import Scale
from recsens.recommenders._memory_check import LIMIT
from recsens.recommenders.ease import EASE
from recsens.testing import crowd, from_rows


def fitted(train: Interactions, **params) -> EASE:
    return EASE(**params).fit(train, np.random.default_rng(1))


def test_a_pair_of_items_is_worked_by_hand():
    # RᵀR = [[5, 3], [3, 6]]: b_01 = 3 / (5 + 2), b_10 = 3 / (6 + 2), as a regression of one item on the other has it.
    train = from_rows([[2, 1], [1, 1], [None, 2]])
    model = fitted(train, regularization=2.0, preference="rating")
    np.testing.assert_allclose(model.learned["weights"], [[0, 3 / 7], [3 / 8, 0]], rtol=1e-14)
    np.testing.assert_allclose(model.score(train, np.arange(3)), [[3 / 8, 6 / 7], [3 / 8, 3 / 7], [6 / 8, 0]], rtol=1e-14)


@pytest.mark.parametrize("preference", ["rating", "binary"])
def test_every_column_is_a_ridge_regression_on_the_other_items(preference):
    train = crowd(n_users=80, n_items=30, share=0.3)
    ratings = train.matrix.toarray()
    ratings = ratings if preference == "rating" else 1.0 * (ratings > 0)
    weights = fitted(train, regularization=7.0, preference=preference).learned["weights"]
    ridge = Ridge(alpha=7.0, fit_intercept=False, solver="cholesky")
    for item in range(30):
        others = np.delete(np.arange(30), item)
        np.testing.assert_allclose(weights[others, item], ridge.fit(ratings[:, others], ratings[:, item]).coef_, atol=1e-12)
    assert (np.diag(weights) == 0).all()


def test_scores_are_sums_over_the_profile():
    train = crowd(n_users=50, n_items=40, share=0.2)
    model = fitted(train)
    expected = (train.matrix.toarray() > 0) @ model.learned["weights"]
    np.testing.assert_allclose(model.score(train, np.array([7, 2])), expected[[7, 2]], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("preference", ["rating", "binary"])
def test_users_and_items_without_ratings_other_than_zero_are_not_computable(preference):
    train = from_rows([[4, 0, 2], [None, None, None], [0, 0, None]], scale=Scale(0, 4, 1))
    scores = fitted(train, preference=preference).score(train, np.arange(3))
    unknown = {"rating": [[0, 1, 0], [1, 1, 1], [1, 1, 1]], "binary": [[0, 0, 0], [1, 1, 1], [0, 0, 0]]}[preference]
    np.testing.assert_array_equal(np.isnan(scores), np.array(unknown, dtype=bool))


def test_a_singular_matrix_is_refused():
    with pytest.raises(DesignError, match=r"singular at regularization = 1e-300(.|\n)*raise regularization"):
        fitted(from_rows([[1, 1]]), regularization=1e-300)


def test_a_matrix_that_does_not_fit_is_refused(monkeypatch):
    monkeypatch.setenv(LIMIT, "1e-6")
    with pytest.raises(DesignError, match=r"Gram matrix of 20 items(.|\n)*fs_slim"):
        fitted(crowd(n_users=20, n_items=20))
