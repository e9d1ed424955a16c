"""Biased matrix factorization: a step by hand, dense least squares, and the sum that both solvers minimise."""

import numpy as np
import pytest

from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.files.scale import Scale
from recsens.recommenders._kernels import Rows
from recsens.recommenders.biased_mf import BiasedMF, _descend, solve_side
from recsens.testing import checkerboard, crowd, from_rows


def fitted(train: Interactions, **params) -> BiasedMF:
    return BiasedMF(**params).fit(train, np.random.default_rng(3))


def minimised(train: Interactions, model: BiasedMF) -> float:
    """Return the sum of the docstring."""
    learned = model.learned
    users = np.column_stack([learned["user_biases"], learned["user_factors"]])[train.user]
    items = np.column_stack([learned["item_biases"], learned["item_factors"]])[train.item]
    errors = train.rating - learned["mean"] - users[:, 0] - items[:, 0] - (users[:, 1:] * items[:, 1:]).sum(axis=1)
    return float((errors**2).sum() + model.regularization * ((users**2).sum() + (items**2).sum()))


def test_a_step_goes_along_the_gradient_of_one_rating():
    rows = Rows.of(from_rows([[None, 4]]).matrix)
    rng = np.random.default_rng(5)
    before = [rng.normal(size=(1, 3)), rng.normal(size=(2, 3))]

    def half_of_the_sum(users: np.ndarray, items: np.ndarray) -> float:
        error = 4 - 2.5 - users[0, 0] - items[1, 0] - users[0, 1:] @ items[1, 1:]
        return float(error**2 + 0.3 * ((users[0] ** 2).sum() + (items[1] ** 2).sum())) / 2

    after = [each.copy() for each in before]
    _descend(np.array([0]), np.array([0]), rows, 2.5, 1e-7, 0.3, *after)
    for which, array in enumerate(before):
        for place in np.ndindex(array.shape):
            up, down = [each.copy() for each in before], [each.copy() for each in before]
            up[which][place] += 1e-5
            down[which][place] -= 1e-5
            slope = (half_of_the_sum(*up) - half_of_the_sum(*down)) / 2e-5
            assert (array[place] - after[which][place]) / 1e-7 == pytest.approx(slope, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("factors", [1, 4, 7])
def test_dense_ridge_regressions_give_the_same_half_step(factors):
    train = crowd(n_users=20, n_items=30, share=0.4)
    rng = np.random.default_rng(5)
    items, found = rng.normal(size=(30, 1 + factors)), np.empty((20, 1 + factors))
    solve_side(Rows.of(train.matrix), 3.1, items, 0.2, found)
    for user in range(20):
        rated = train.matrix.toarray()[user] > 0
        lines = np.column_stack([np.ones(rated.sum()), items[rated, 1:]])
        targets = train.matrix.toarray()[user, rated] - 3.1 - items[rated, 0]
        expected = np.linalg.solve(lines.T @ lines + 0.2 * rated.sum() * np.eye(1 + factors), lines.T @ targets)
        np.testing.assert_allclose(found[user], expected, rtol=1e-8)


@pytest.mark.parametrize("solver", ["sgd", "als"])
def test_the_sum_falls_from_epoch_to_epoch(solver):
    train = crowd(n_users=50, n_items=40, share=0.3)
    found = [minimised(train, fitted(train, factors=5, epochs=epochs, solver=solver)) for epochs in (1, 2, 4, 8, 16)]
    assert (np.diff(found) < 0).all()


def test_both_solvers_minimise_the_same_sum():
    # The penalty is so high that only biases are left, and there is only one minimum.
    train = crowd(n_users=40, n_items=30, share=0.4)
    shared = {"factors": 2, "regularization": 1.0}
    one, other = (
        fitted(train, **shared, solver="als", epochs=50),
        fitted(train, **shared, solver="sgd", epochs=200, learning_rate=0.004),
    )
    assert minimised(train, other) == pytest.approx(minimised(train, one), rel=1e-3)
    np.testing.assert_allclose(one.score(train, np.arange(40)), other.score(train, np.arange(40)), atol=0.05)


def test_scores_add_biases_and_products():
    train = crowd(n_users=30, n_items=20, share=0.3)
    model = fitted(train, factors=3)
    learned = model.learned
    products = learned["user_factors"][[4, 2]] @ learned["item_factors"].T
    expected = learned["mean"] + learned["user_biases"][[4, 2]][:, None] + learned["item_biases"] + products
    np.testing.assert_allclose(model.score(train, np.array([4, 2])), expected, rtol=1e-13)


@pytest.mark.parametrize("solver", ["sgd", "als"])
def test_a_user_without_ratings_has_the_items_biases_and_an_item_without_has_nothing(solver):
    train = from_rows([[5, None, 2], [None, None, None], [4, None, 1]])
    model = fitted(train, factors=2, solver=solver)
    scores = model.score(train, np.arange(3))
    np.testing.assert_array_equal(np.isnan(scores), [[False, True, False]] * 3)
    np.testing.assert_allclose(scores[1], 3 + model.learned["item_biases"], rtol=1e-14)


def test_ratings_are_met_on_a_board_of_likes_and_dislikes():
    board = checkerboard(dislikes=True)
    scores = fitted(board.train, solver="als", factors=2, regularization=0.001).score(board.train, np.arange(16))
    assert (scores[np.arange(16), board.withheld] > 4.5).all()


def test_a_rating_of_zero_is_a_rating():
    train = from_rows([[0, 4], [0, 4]], scale=Scale(0, 4, 1))
    scores = fitted(train, solver="als", factors=1, regularization=0.001).score(train, np.arange(2))
    np.testing.assert_allclose(scores, [[0, 4], [0, 4]], atol=0.05)


def test_fits_without_finite_factors_are_reported():
    with pytest.raises(DesignError, match=r"diverged(.|\n)*lower learning_rate"):
        fitted(checkerboard().train, learning_rate=1, regularization=100)
    with pytest.raises(DesignError, match=r"diverged(.|\n)*raise regularization"):
        fitted(checkerboard().train, solver="als", regularization=0)
