"""HKV: one epoch by hand, dense normal equations, and implicit's solver and loss."""

import numpy as np
import pytest
from implicit.cpu import _als
from scipy.sparse import csr_matrix

from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.files.scale import Scale
from recsens.recommenders._kernels import Rows
from recsens.recommenders._least_squares import solve_rows
from recsens.recommenders.hkv import HKV, initial_factors
from recsens.recommenders.wrmf import WRMF
from recsens.testing import crowd, from_rows


def factors_of(train: Interactions, model: HKV) -> tuple[np.ndarray, np.ndarray]:
    model.fit(train, np.random.default_rng(3))
    return model.learned["user_factors"], model.learned["item_factors"]


def dense_solve(confidences: np.ndarray, preferences: np.ndarray, fixed: np.ndarray, regularization: float) -> np.ndarray:
    """Solve (Fᵀ C F + λI) x = Fᵀ C p for every row, by definition."""
    penalty = regularization * np.eye(fixed.shape[1])
    return np.array(
        [np.linalg.solve((fixed.T * c) @ fixed + penalty, fixed.T @ (c * p)) for c, p in zip(confidences, preferences, strict=True)]
    )


def dense_loss(train: Interactions, model: HKV) -> float:
    users, items = model.learned["user_factors"], model.learned["item_factors"]
    ratings = train.matrix.toarray()
    preferences = ratings if model.preference == "rating" else (ratings > 0).astype(float)
    errors = (1 + model.alpha * ratings) * (preferences - users @ items.T) ** 2
    return float(errors.sum() + model.regularization * ((users**2).sum() + (items**2).sum()))


def test_one_epoch_of_one_pair_is_worked_by_hand():
    # r = 4, α = .5: c = 3. With one factor, y = c r x / (c x² + λ) and then x = c r y / (c y² + λ).
    model = HKV(factors=1, regularization=2.0, alpha=0.5, epochs=1)
    users, items = factors_of(from_rows([[4]]), model)
    x = initial_factors(np.arange(1), 1, np.random.default_rng(3)).item()
    y = 12 * x / (3 * x**2 + 2)
    np.testing.assert_allclose(items, [[y]], rtol=1e-14)
    np.testing.assert_allclose(users, [[12 * y / (3 * y**2 + 2)]], rtol=1e-14)


@pytest.mark.parametrize("preference", ["rating", "binary"])
@pytest.mark.parametrize("factors", [1, 3, 4, 10, 50])
def test_dense_normal_equations_give_the_same_factors(preference, factors):
    train = crowd(n_users=40, n_items=300, share=0.5)
    ratings = train.matrix.toarray()
    confidences, preferences = 1 + 0.3 * ratings, ratings if preference == "rating" else (ratings > 0).astype(float)
    users = initial_factors(train.user_keys, factors, np.random.default_rng(3))
    for _ in range(2):
        items = dense_solve(confidences.T, preferences.T, users, 0.7)
        users = dense_solve(confidences, preferences, items, 0.7)
    ours = factors_of(train, HKV(factors=factors, regularization=0.7, alpha=0.3, epochs=2, preference=preference))
    np.testing.assert_allclose(ours[0] @ ours[1].T, users @ items.T, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("preference", ["rating", "binary"])
def test_the_loss_never_rises(preference):
    train = crowd(n_users=50, n_items=40, share=0.3)
    losses = []
    for epochs in (1, 2, 4, 8, 16):
        model = HKV(factors=8, epochs=epochs, preference=preference).fit(train, np.random.default_rng(3))
        losses.append(dense_loss(train, model))
    assert (np.diff(losses) <= 0).all()


def test_implicit_solves_the_same_systems():
    train = crowd(n_users=60, n_items=80, share=0.3)
    rows = Rows.of(train.matrix)
    fixed = np.random.default_rng(5).normal(size=(80, 10))
    ours = np.empty((60, 10))
    solve_rows(rows.indptr, rows.indices, 2 * rows.values, 1 + 2 * rows.values, fixed, 0.5, True, ours)
    theirs = np.zeros((60, 10), dtype=np.float32)
    confidences = csr_matrix(train.matrix * 2.0, dtype=np.float32)
    confidences.data += 1
    _als.least_squares(confidences, theirs, fixed.astype(np.float32), 0.5, num_threads=1)
    np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-5)


def test_implicit_reaches_the_same_loss():
    train = crowd(n_users=100, n_items=80, share=0.2)
    shared = {"factors": 6, "regularization": 0.5, "alpha": 2.0, "epochs": 60}
    ours = HKV(**shared, preference="binary").fit(train, np.random.default_rng(3))
    theirs = WRMF(**shared, exact=True).fit(train, np.random.default_rng(3))
    as_ours = HKV(**shared, preference="binary").restore(theirs.learned)
    assert dense_loss(train, ours) == pytest.approx(dense_loss(train, as_ours), rel=0.005)


def test_scores_are_products_of_factors():
    train = crowd(n_users=30, n_items=300, share=0.3)
    model = HKV(factors=7)
    users, items = factors_of(train, model)
    np.testing.assert_allclose(model.score(train, np.array([4, 2])), users[[4, 2]] @ items.T, rtol=1e-12, atol=1e-14)


def test_users_and_items_without_ratings_have_no_factors_and_no_scores():
    train = from_rows([[5, None, 3], [None, None, None], [4, None, 2]])
    model = HKV(factors=2)
    users, items = factors_of(train, model)
    assert (users[1] == 0).all()
    assert (items[1] == 0).all()
    np.testing.assert_array_equal(
        np.isnan(model.score(train, np.arange(3))), [[False, True, False], [True, True, True], [False, True, False]]
    )


def test_users_without_ratings_do_not_move_the_others():
    rows = [[5, 1, 3], [4, None, 2]]
    alone = factors_of(from_rows(rows), HKV(factors=2))
    np.testing.assert_array_equal(factors_of(from_rows([*rows, [None, None, None]]), HKV(factors=2))[1], alone[1])


def test_a_rating_of_zero_is_no_binary_preference():
    zero = from_rows([[0, 4], [4, None]], scale=Scale(0, 4, 1))
    none = from_rows([[None, 4], [4, None]], scale=Scale(0, 4, 1))
    model = HKV(factors=2, preference="binary")
    np.testing.assert_array_equal(factors_of(zero, model)[0], factors_of(none, model)[0])


@pytest.mark.parametrize("preference", ["rating", "binary"])
def test_ratings_of_zero_alone_are_none(preference):
    zero = from_rows([[5, 0, 3], [0, 0, None], [4, None, 2]], scale=Scale(0, 5, 1))
    none = from_rows([[5, None, 3], [None, None, None], [4, None, 2]], scale=Scale(0, 5, 1))
    model, other = HKV(factors=2, preference=preference), HKV(factors=2, preference=preference)
    for one, same in zip(factors_of(zero, model), factors_of(none, other), strict=True):
        np.testing.assert_array_equal(one, same)
    np.testing.assert_array_equal(model.score(zero, np.arange(3)), other.score(none, np.arange(3)))


def test_negative_ratings_are_refused_with_a_remedy():
    train = from_rows([[-3, 2]], scale=Scale(-10, 10, 1))
    with pytest.raises(DesignError, match=r"rating -3(.|\n)*what to do"):
        HKV().fit(train, np.random.default_rng(3))


def test_systems_that_cannot_be_solved_are_reported():
    with pytest.raises(DesignError, match=r"singular at regularization = 1e-300"):
        HKV(regularization=1e-300).fit(from_rows([[5, None], [None, 3]]), np.random.default_rng(3))


def test_a_filter_leaves_the_other_users_where_they_started():
    everyone = initial_factors(np.arange(10), 3, np.random.default_rng(3))
    some = initial_factors(np.array([1, 4, 9]), 3, np.random.default_rng(3))
    np.testing.assert_array_equal(some, everyone[[1, 4, 9]])
    assert (everyone >= 0).all()
    assert (everyone < np.sqrt(1 / 3)).all()
