"""SLIM: one weight by hand, the conditions of a minimum, scikit-learn's elastic net, and fsSLIM as SLIM of fewer items."""

import logging

import numpy as np
import pytest
from scipy.optimize import nnls
from sklearn.linear_model import ElasticNet

from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.files.scale import Scale
from recsens.recommenders._memory_check import LIMIT
from recsens.recommenders.sparse_linear import SLIM, FsSLIM
from recsens.testing import crowd, from_rows

PENALTIES = [(2.0, 1.0), (5.0, 0.0), (0.0, 50.0), (0.5, 300.0)]


def weights_of(model: SLIM | FsSLIM, train: Interactions) -> np.ndarray:
    """Return W as a dense matrix; row i holds the weights that item i gives to others."""
    model.fit(train, np.random.default_rng(1))
    weights = np.zeros((train.n_items, train.n_items))
    indptr = model.learned["indptr"]
    for item in range(train.n_items):
        given = slice(indptr[item], indptr[item + 1])
        weights[item, model.learned["items"][given]] = model.learned["weights"][given]
    return weights


def matrix_of(train: Interactions, preference: str) -> np.ndarray:
    ratings = train.matrix.toarray()
    return (ratings > 0).astype(float) if preference == "binary" else ratings


def steps_left(ratings: np.ndarray, weights: np.ndarray, l1: float, l2: float) -> np.ndarray:
    """The distance of every single weight from its minimum; all are 0 under the condition of Karush, Kuhn and Tucker."""
    gram = ratings.T @ ratings
    downhill = gram - gram @ weights - l2 * weights - l1
    steps = np.maximum(downhill / (np.diag(gram)[:, np.newaxis] + l2), -weights)
    np.fill_diagonal(steps, 0.0)
    return np.abs(steps)


def test_a_pair_of_items_is_worked_by_hand():
    # g_01 = 2·1 + 1·1 = 3, g_00 = 5, g_11 = 6: w_01 = (3 - .5) / (5 + 2), w_10 = (3 - .5) / (6 + 2).
    train = from_rows([[2, 1], [1, 1], [None, 2]])
    model = SLIM(l1=0.5, l2=2.0, preference="rating")
    np.testing.assert_allclose(weights_of(model, train), [[0, 2.5 / 7], [2.5 / 8, 0]], rtol=1e-14)
    np.testing.assert_allclose(
        model.score(train, np.arange(3)),
        [[1 * 2.5 / 8, 2 * 2.5 / 7], [1 * 2.5 / 8, 1 * 2.5 / 7], [2 * 2.5 / 8, np.nan]],
        rtol=1e-14,
    )


@pytest.mark.parametrize("preference", ["rating", "binary"])
@pytest.mark.parametrize(("l1", "l2"), PENALTIES)
def test_no_weight_can_be_moved_by_more_than_the_tolerance(preference, l1, l2):
    train = crowd(n_users=80, n_items=60, share=0.3)
    weights = weights_of(SLIM(l1=l1, l2=l2, preference=preference, tolerance=1e-9), train)
    assert steps_left(matrix_of(train, preference), weights, l1, l2).max() <= 1.001e-9
    assert (weights >= 0).all()
    assert (np.diag(weights) == 0).all()
    assert 0 < np.count_nonzero(weights) < 60 * 59


@pytest.mark.parametrize(("l1", "l2"), PENALTIES[:1] + PENALTIES[3:])
def test_scikit_learns_elastic_net_has_the_same_weights(l1, l2):
    train = crowd(n_users=80, n_items=40, share=0.3)
    ratings = matrix_of(train, "rating")
    ours = weights_of(SLIM(l1=l1, l2=l2, preference="rating", tolerance=1e-9), train)
    net = ElasticNet(alpha=(l1 + l2) / 80, l1_ratio=l1 / (l1 + l2), positive=True, fit_intercept=False, tol=1e-14, max_iter=100_000)
    for item in range(40):
        others = ratings.copy()
        others[:, item] = 0.0
        np.testing.assert_allclose(ours[:, item], net.fit(others, ratings[:, item]).coef_, atol=1e-6)


def test_without_penalties_the_weights_are_non_negative_least_squares():
    train = crowd(n_users=80, n_items=20, share=0.4)
    ratings = matrix_of(train, "rating")
    ours = weights_of(SLIM(l1=0, l2=0, preference="rating", tolerance=1e-11), train)
    for item in range(20):
        others = np.delete(np.arange(20), item)
        np.testing.assert_allclose(ours[others, item], nnls(ratings[:, others], ratings[:, item])[0], atol=1e-8)


def test_scores_are_sums_over_the_profile():
    train = crowd(n_users=50, n_items=40, share=0.2)
    for preference in ("rating", "binary", "positive"):
        model = SLIM(preference=preference)
        weights = weights_of(model, train)
        ratings = matrix_of(train, "rating")
        ratings = {"rating": ratings, "binary": 1.0 * (ratings > 0), "positive": 1.0 * (ratings >= 4)}[preference]
        supported = (ratings > 0).astype(float) @ (weights > 0) > 0
        np.testing.assert_allclose(
            model.score(train, np.arange(50)), np.where(supported, ratings @ weights, np.nan), rtol=1e-12, atol=0
        )


def test_fs_slim_with_every_item_is_slim():
    train = crowd(n_users=80, n_items=60, share=0.3)
    shared = {"l1": 0.5, "l2": 10.0, "tolerance": 1e-10}
    np.testing.assert_allclose(weights_of(FsSLIM(**shared, k=59), train), weights_of(SLIM(**shared), train), atol=1e-9)


@pytest.mark.parametrize("preference", ["rating", "binary"])
def test_fs_slim_solves_for_the_most_similar_items_alone(preference):
    train = crowd(n_users=80, n_items=60, share=0.3)
    weights = weights_of(FsSLIM(l1=0.5, l2=10.0, k=7, preference=preference, tolerance=1e-10), train)
    ratings = matrix_of(train, preference)
    gram = ratings.T @ ratings
    cosines = gram / np.sqrt(np.outer(np.diag(gram), np.diag(gram)))
    np.fill_diagonal(cosines, -1.0)
    for item in range(60):
        similar = np.lexsort((-np.arange(60), -cosines[item]))[:7]
        assert set(np.flatnonzero(weights[:, item])) <= set(similar)
        chosen = [*similar, item]
        assert steps_left(ratings[:, chosen], weights[np.ix_(chosen, chosen)], 0.5, 10.0)[:, 7].max() <= 1.001e-10


@pytest.mark.parametrize("model", [SLIM, FsSLIM])
def test_what_no_item_of_the_profile_supports_is_not_computable(model):
    train = from_rows([[5, 4, None], [3, 4, None], [None, None, 2], [None, None, None]])
    scores = model(l1=0).fit(train, np.random.default_rng(1)).score(train, np.arange(4))
    np.testing.assert_array_equal(np.isnan(scores), [[False, False, True], [False, False, True], [True] * 3, [True] * 3])


@pytest.mark.parametrize("model", [SLIM, FsSLIM])
def test_a_rating_of_zero_is_none(model):
    zero = from_rows([[0, 4, 3], [4, 0, 2], [1, 1, 1]], scale=Scale(0, 4, 1))
    none = from_rows([[None, 4, 3], [4, None, 2], [1, 1, 1]], scale=Scale(0, 4, 1))
    scores = [
        model(l1=0, preference="rating").fit(train, np.random.default_rng(1)).score(train, np.arange(3)) for train in (zero, none)
    ]
    np.testing.assert_array_equal(*scores)


@pytest.mark.parametrize("model", [SLIM, FsSLIM])
def test_descent_that_was_broken_off_is_told(model, caplog):
    with caplog.at_level(logging.WARNING):
        model(max_sweeps=1, l2=0, preference="rating").fit(crowd(n_users=30, n_items=20, share=0.5), np.random.default_rng(1))
    assert "max_sweeps was not enough for 20 of 20 items" in caplog.text


def test_a_gram_matrix_that_does_not_fit_is_refused_with_fs_slim_as_the_way_out(monkeypatch):
    monkeypatch.setenv(LIMIT, "1e-6")
    train = crowd(n_users=20, n_items=20)
    with pytest.raises(DesignError, match=r"Gram matrix of 20 items(.|\n)*choose fs_slim"):
        SLIM().fit(train, np.random.default_rng(1))
    FsSLIM(k=1).fit(train, np.random.default_rng(1))


@pytest.mark.parametrize("preference", ["rating", "binary"])
@pytest.mark.parametrize("l1", [0.0, 2.0, 6.0, 40.0])
def test_no_more_weights_are_positive_than_memory_is_claimed_for(preference, l1, monkeypatch):
    train = crowd(n_users=80, n_items=60, share=0.3)
    model = SLIM(l1=l1, preference=preference)
    positive = np.count_nonzero(weights_of(model, train))
    gram = matrix_of(train, preference).T @ matrix_of(train, preference)
    assert positive <= np.count_nonzero(gram > l1)
    # 28,800 bytes for the Gram matrix, and 24 for every weight that is possible.
    monkeypatch.setenv(LIMIT, str(max(28_800, 24 * np.count_nonzero(gram > l1)) / 2**30))
    model.fit(train, np.random.default_rng(1))


def test_weights_that_do_not_fit_are_refused_with_a_larger_penalty_as_the_way_out(monkeypatch):
    train = crowd(n_users=80, n_items=60, share=0.3)
    monkeypatch.setenv(LIMIT, str(30_000 / 2**30))
    with pytest.raises(DesignError, match=r"the weights of 60 items(.|\n)*raise l1"):
        SLIM(l1=0.0).fit(train, np.random.default_rng(1))
    SLIM(l1=12.0).fit(train, np.random.default_rng(1))
