"""PureSVD: rank one by hand, numpy's dense decomposition, and what is left out."""

import logging

import numpy as np
import pytest

from recsens.data.interactions import Interactions
from recsens.files.scale import Scale
from recsens.recommenders.pure_svd import PureSVD
from recsens.testing import checkerboard, crowd, from_rows


def fitted(train: Interactions, **params) -> PureSVD:
    return PureSVD(**params).fit(train, np.random.default_rng(1))


def test_rank_one_is_worked_by_hand():
    # R = [[2, 1], [0, 0], [2, 1]] has the one singular vector (2, 1) / √5, on which all ratings lie.
    train = from_rows([[2, 1], [None, None], [2, 1]])
    model = fitted(train, factors=1)
    np.testing.assert_allclose(model.learned["item_factors"], [[2 / 5**0.5], [1 / 5**0.5]], rtol=1e-14)
    np.testing.assert_allclose(model.score(train, np.arange(3)), [[2, 1], [np.nan, np.nan], [2, 1]], rtol=1e-14)


@pytest.mark.parametrize("preference", ["rating", "binary"])
@pytest.mark.parametrize(("n_users", "n_items"), [(90, 50), (50, 90), (100, 80), (80, 100)])
def test_numpys_decomposition_projects_alike(preference, n_users, n_items):
    train = crowd(n_users=n_users, n_items=n_items, share=0.2)
    ratings = train.matrix.toarray()
    ratings = ratings if preference == "rating" else 1.0 * (ratings > 0)
    vectors = np.linalg.svd(ratings)[2][:10]
    model = fitted(train, factors=10, preference=preference)
    np.testing.assert_allclose(model.score(train, np.arange(n_users)), ratings @ vectors.T @ vectors, atol=1e-9)


@pytest.mark.parametrize("n_items", [50, 80])
def test_vectors_are_orthonormal_ordered_and_of_one_sign(n_items):
    train = crowd(n_users=100, n_items=n_items)
    vectors = fitted(train, factors=20).learned["item_factors"]
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(20), atol=1e-12)
    assert (np.diff(np.linalg.norm(train.matrix @ vectors, axis=0)) < 0).all()
    assert (vectors.max(axis=0) == np.abs(vectors).max(axis=0)).all()


def test_at_most_half_as_many_factors_as_the_smaller_side(caplog):
    train = crowd(n_users=100, n_items=30)
    with caplog.at_level(logging.WARNING):
        many, half = fitted(train, factors=500), fitted(train, factors=15)
    np.testing.assert_array_equal(many.learned["item_factors"], half.learned["item_factors"])
    assert caplog.messages == ["pure_svd(factors=500): 15 factors, half the smaller side of 100 users x 30 items"]


def test_singular_values_that_are_equal_are_in_or_out_together():
    # The board's are 35, 35, and then 5 fourteen times.
    assert [fitted(checkerboard().train, factors=factors).learned["item_factors"].shape[1] for factors in (1, 2, 3, 8)] == [
        0,
        2,
        2,
        2,
    ]


def test_singular_values_of_zero_have_no_factors():
    rank_two = from_rows([[1, 2, None], [2, 4, None], [None, None, 3]] * 30)
    assert fitted(rank_two, factors=1).learned["item_factors"].shape == (3, 1)
    wide = from_rows([[1, 2] * 50, [2, 4] * 50] * 40)
    assert fitted(wide, factors=9).learned["item_factors"].shape == (100, 1)


@pytest.mark.parametrize(("n_users", "n_items"), [(200, 150), (150, 200)])
def test_few_singular_values_are_decomposed_to_the_same_bytes(n_users, n_items):
    # Of rank three: the space that ARPACK searches from its start is exhausted long before it has 31 vectors.
    users, items = np.arange(n_users)[:, np.newaxis], np.arange(n_items)
    ratings = 1 + users % 2 + (users % 3 == 0) * (items % 5 == 1) + items % 2 * (users % 7 == 0)
    train = from_rows(ratings.tolist())
    assert np.linalg.matrix_rank(ratings) == 3
    models = [fitted(train, factors=30) for _ in range(4)]
    assert len({model.learned["item_factors"].tobytes() for model in models}) == 1
    # All three dimensions are kept, so ratings are projected on themselves.
    assert models[0].learned["item_factors"].shape == (n_items, 3)
    np.testing.assert_allclose(models[0].score(train, np.arange(n_users)), ratings, rtol=1e-12)


def test_where_no_factor_is_left_nothing_is_computable():
    train = from_rows([[5, None], [None, 5]])
    assert np.isnan(fitted(train, factors=1).score(train, np.arange(2))).all()


@pytest.mark.parametrize("preference", ["rating", "binary"])
def test_users_and_items_without_ratings_other_than_zero_are_not_computable(preference):
    train = from_rows([[4, 0, 2], [None, None, None], [0, 0, None]], scale=Scale(0, 4, 1))
    scores = fitted(train, preference=preference, factors=1).score(train, np.arange(3))
    unknown = {"rating": [[0, 1, 0], [1, 1, 1], [1, 1, 1]], "binary": [[0, 0, 0], [1, 1, 1], [0, 0, 0]]}[preference]
    np.testing.assert_array_equal(np.isnan(scores), np.array(unknown, dtype=bool))
