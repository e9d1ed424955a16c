"""WRMF: the input of implicit, and its results."""

import numpy as np
import pytest

from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.files.scale import Scale
from recsens.recommenders.wrmf import WRMF
from recsens.testing import checkerboard, crowd, from_rows


def fitted(train: Interactions, **params) -> WRMF:
    return WRMF(**params).fit(train, np.random.default_rng(3))


def test_confidence_is_one_plus_alpha_times_rating():
    train = from_rows([[5, None, 1], [None, 2, None]])
    np.testing.assert_array_equal(WRMF(alpha=0.5)._confidences(train).toarray(), [[3.5, 0, 1.5], [0, 2, 0]])


def test_a_rating_of_zero_is_left_unobserved():
    train = from_rows([[0, 4]], scale=Scale(0, 4, 1))
    assert WRMF(alpha=1.0)._confidences(train).nnz == 1


def test_interactions_without_ratings_have_one_confidence():
    train = from_rows([[1, None], [1, 1]], with_ratings=False)
    np.testing.assert_array_equal(WRMF(alpha=3.0)._confidences(train).data, [4, 4, 4])


def test_exact_item_factors_satisfy_the_normal_equations():
    train = crowd(n_users=60, n_items=30, share=0.3)
    model = fitted(train, factors=5, regularization=0.4, alpha=2.0, epochs=3, exact=True)
    users, items = (model.learned[name].astype(np.float64) for name in ("user_factors", "item_factors"))
    confidences = (1 + 2.0 * train.matrix.toarray()).T
    preferences = confidences > 1
    for factors, c, p in zip(items, confidences, preferences, strict=True):
        system = (users.T * c) @ users + 0.4 * np.eye(5)
        np.testing.assert_allclose(factors, np.linalg.solve(system, users.T @ (c * p)), rtol=2e-3, atol=2e-4)


def test_conjugate_gradients_come_close_to_exact_solutions():
    train = checkerboard(40).train
    exact, approximate = (fitted(train, factors=2, exact=flag).score(train, np.arange(40)) for flag in (True, False))
    np.testing.assert_allclose(exact, approximate, atol=0.01)


def test_the_stream_decides_where_fitting_starts():
    train = crowd(n_users=40, n_items=30)
    one, same = fitted(train), fitted(train)
    other = WRMF().fit(train, np.random.default_rng(4))
    np.testing.assert_array_equal(one.learned["user_factors"], same.learned["user_factors"])
    assert (one.learned["user_factors"] != other.learned["user_factors"]).any()


def test_users_and_items_without_ratings_have_no_scores():
    train = from_rows([[5, None, 3], [None, None, None]])
    np.testing.assert_array_equal(np.isnan(fitted(train).score(train, np.arange(2))), [[False, True, False], [True, True, True]])


def test_ratings_of_zero_alone_give_no_scores():
    train = from_rows([[5, 0, 3], [0, None, 0]], scale=Scale(0, 5, 1))
    np.testing.assert_array_equal(np.isnan(fitted(train).score(train, np.arange(2))), [[False, True, False], [True, True, True]])


def test_negative_ratings_are_refused():
    with pytest.raises(DesignError, match="rating -1"):
        fitted(from_rows([[-1, 2]], scale=Scale(-10, 10, 1)))
