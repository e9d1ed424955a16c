"""RM1 and RM2: probabilities by hand, plain loops with one logarithm per factor, and cases in which the two models agree."""

import numpy as np
import pytest

from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.files.scale import Scale
from recsens.recommenders._memory_check import LIMIT
from recsens.recommenders.relevance_models import RM1, RM2, RelevanceModel
from recsens.testing import crowd, from_rows

SMOOTHED = [
    {"smoothing": "absolute_discounting", "discount": 0.3},
    {"smoothing": "jelinek_mercer", "mixing": 0.2},
    {"smoothing": "dirichlet", "mu": 7.0},
]


def scored(model: RelevanceModel, train: Interactions) -> np.ndarray:
    return model.fit(train, np.random.default_rng()).score(train, np.arange(train.n_users))


def smoothed(train: Interactions, smoothing: str, discount: float = 0.1, mixing: float = 0.5, mu: float = 100.0) -> np.ndarray:
    """p(i|v) of all users and items."""
    ratings = train.matrix.toarray()
    length, background = ratings.sum(axis=1, keepdims=True), ratings.sum(axis=0) / ratings.sum()
    n_rated = (ratings > 0).sum(axis=1, keepdims=True)
    if smoothing == "absolute_discounting":
        return (np.maximum(ratings - discount, 0) + discount * n_rated * background) / length
    if smoothing == "jelinek_mercer":
        return (1 - mixing) * ratings / length + mixing * background
    return (ratings + mu * background) / (length + mu)


def nearest(train: Interactions, user: int, k: int) -> list[int]:
    ratings = train.matrix.toarray()
    rivals = []
    for v in range(train.n_users):
        product = ratings[user] @ ratings[v]
        if v != user and product > 0:
            rivals.append((product / np.sqrt((ratings[user] @ ratings[user]) * (ratings[v] @ ratings[v])), v))
    return [v for _, v in sorted(rivals, reverse=True)[:k]]


def by_plain_loop(train: Interactions, model: RelevanceModel) -> np.ndarray:
    ratings = train.matrix.toarray()
    p = smoothed(train, model.smoothing, model.discount, model.mixing, model.mu)
    scores = np.full(ratings.shape, np.nan)
    for user in range(train.n_users):
        heard = nearest(train, user, model.k)
        profile = np.flatnonzero(ratings[user])
        prior = ratings[heard].sum(axis=1) if model.user_prior == "linear" else np.ones(len(heard))
        prior = prior / prior.sum()
        log_likelihood = np.log(p[np.ix_(heard, profile)]).sum(axis=1)
        for item in np.flatnonzero(ratings[heard].sum(axis=0)):
            if isinstance(model, RM1):
                weight = prior * np.exp(log_likelihood - log_likelihood.max())
                scores[user, item] = weight @ p[heard, item] / weight.sum()
            else:
                p_i = ratings[:, item].sum() / ratings.sum() if model.item_prior == "linear" else 1 / train.n_items
                factors = (p[heard, item] * prior / p_i) @ p[np.ix_(heard, profile)]
                scores[user, item] = np.log(p_i) + np.log(factors).sum()
    return scores


@pytest.mark.parametrize("params", SMOOTHED)
def test_language_models_are_distributions(params):
    train = crowd(n_users=20, n_items=15, share=0.3)
    models = RM1(**params)._language_models(train)
    own = np.zeros((20, 15))
    own[np.repeat(np.arange(20), np.diff(models.own.indptr)), models.own.indices] = models.own.values
    probabilities = own + np.outer(models.floor, models.background)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-14)
    np.testing.assert_allclose(probabilities, smoothed(train, **params), rtol=1e-12)


def test_what_is_discounted_is_what_ratings_have_to_give():
    train = from_rows([[0.5, 0, 5.5], [2, 2, 2]], scale=Scale(0, 6, 0.5))
    models = RM1(discount=1)._language_models(train)
    # 0.5 of the first rating, nothing of the second, 1 of the third: 1.5 of 6.
    assert models.floor[0] == pytest.approx(1.5 / 6)
    np.testing.assert_allclose(models.own.values[:3], [0, 0, 4.5 / 6])


def test_rm1_weighs_neighbours_by_how_likely_they_make_the_profile():
    train = from_rows([[2, None, None], [1, 3, None], [3, None, 1]])
    # p(.|C) = .6, .3, .1; p(.|v) = (r_v/4 + p(.|C)) / 2: .425, .525, .05 for user 1 and .675, .15, .175 for user 2.
    w = np.array([0.425, 0.675]) / 1.1
    expected = [w @ [0.425, 0.675], w @ [0.525, 0.15], w @ [0.05, 0.175]]
    scores = scored(RM1(smoothing="jelinek_mercer"), train)
    np.testing.assert_allclose(scores[0], expected)
    assert scores[0].sum() == pytest.approx(1)


def test_rm2_multiplies_over_the_profile_what_neighbours_rate_together():
    train = from_rows([[1, 1, None], [1, 3, None], [3, None, 1]])
    # p(.|C) = .5, .4, .1; p(.|v) = (r_v/4 + p(.|C)) / 2: .375, .575, .05 for user 1 and .625, .2, .175 for user 2.
    with_first = (0.05 * 0.375 + 0.175 * 0.625) / 2
    with_second = (0.05 * 0.575 + 0.175 * 0.2) / 2
    prior = 1 / 3
    scores = scored(RM2(smoothing="jelinek_mercer"), train)
    assert scores[0, 2] == pytest.approx(np.log(prior * with_first / prior * with_second / prior))
    scores = scored(RM2(smoothing="jelinek_mercer", item_prior="linear"), train)
    assert scores[0, 2] == pytest.approx(np.log(0.1 * with_first / 0.1 * with_second / 0.1))


@pytest.mark.parametrize("params", SMOOTHED)
@pytest.mark.parametrize("user_prior", ["uniform", "linear"])
def test_plain_loops_agree(params, user_prior):
    train = crowd(n_users=30, n_items=20, share=0.3)
    for model in (
        RM1(k=6, user_prior=user_prior, **params),
        RM2(k=6, user_prior=user_prior, **params),
        RM2(k=6, user_prior=user_prior, item_prior="linear", **params),
    ):
        np.testing.assert_allclose(scored(model, train), by_plain_loop(train, model), rtol=1e-11)


def test_products_over_long_profiles_do_not_vanish():
    train = crowd(n_users=6, n_items=300, share=0.7)
    for model in (RM1(k=5), RM2(k=5)):
        expected = by_plain_loop(train, model)
        np.testing.assert_allclose(scored(model, train), expected, rtol=1e-10)
    assert np.nanmax(expected) < np.log(np.finfo(float).tiny), "an example whose product is no number of float64"


def test_one_neighbour_is_all_there_is_to_rm1():
    train = crowd(n_users=30, n_items=20, share=0.3)
    probabilities = smoothed(train, "absolute_discounting")
    for user, found in enumerate(scored(RM1(k=1), train)):
        [neighbour] = nearest(train, user, 1)
        rated = ~np.isnan(found)
        np.testing.assert_array_equal(rated, train.matrix.toarray()[neighbour] > 0)
        np.testing.assert_allclose(found[rated], probabilities[neighbour, rated], rtol=1e-12)


def test_a_profile_of_one_item_makes_the_two_models_one():
    train = from_rows([[4, None, None, None], [1, 3, None, 2], [3, None, 1, 5], [2, 2, 2, None]])
    for prior in ("uniform", "linear"):
        first, second = (scored(cls(user_prior=prior), train)[0] for cls in (RM1, RM2))
        np.testing.assert_allclose(np.exp(second) / np.exp(second).sum(), first, rtol=1e-12)


@pytest.mark.parametrize("cls", [RM1, RM2])
def test_only_what_a_neighbour_rated_is_computable(cls):
    train = from_rows([[3, 4, None, None], [4, None, 0, None], [None, None, None, 2], [None] * 4], scale=Scale(0, 5))
    scores = scored(cls(), train)
    # Item 2 has only a rating of 0; users 2 and 3 share no item with anybody.
    np.testing.assert_array_equal(~np.isnan(scores), [[True] + [False] * 3, [True, True, False, False], [False] * 4, [False] * 4])


@pytest.mark.parametrize("cls", [RM1, RM2])
def test_negative_ratings_are_refused(cls):
    train = from_rows([[3, -4], [2, 1]], scale=Scale(-5, 5))
    with pytest.raises(DesignError, match="the negative rating -4 cannot be part of a probability"):
        scored(cls(), train)
    assert not np.isnan(scored(cls(preference="binary"), train)).any()


def test_too_many_neighbours_are_refused(monkeypatch):
    monkeypatch.setenv(LIMIT, "0.000001")
    with pytest.raises(DesignError, match=r"the 500 neighbours of 600 rows[\s\S]*choose fewer neighbours: rm2\(k=100\)"):
        scored(RM2(k=500), crowd())
