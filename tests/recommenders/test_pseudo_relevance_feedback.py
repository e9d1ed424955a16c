"""Rocchio, RSV, CHI-2 and KLD: a worked example, plain loops over random data, and relations between them."""

import numpy as np
import pytest

from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.recommenders import Recommender
from recsens.recommenders.pseudo_relevance_feedback import CHI2, KLD, RSV, Rocchio
from recsens.testing import crowd, from_rows

METHODS = [Rocchio, RSV, CHI2, KLD]

# User 0 has the neighbours 1 and 2, who share item 0, and not user 3. Their ratings sum to (4 + 1) + (2 + 3) = 10, all to 20.
BOARD = from_rows([[4, None, None, None], [4, 1, None, None], [2, 3, None, None], [None, 1, 5, 0]])


def scored(model: Recommender, train: Interactions) -> np.ndarray:
    return model.fit(train, np.random.default_rng()).score(train, np.arange(train.n_users))


def by_plain_loops(train: Interactions, k: int, estimate: str) -> dict[type, np.ndarray]:
    ratings, rated = train.matrix.toarray(), np.zeros((train.n_users, train.n_items), dtype=bool)
    rated[train.user, train.item] = True
    found = {method: np.full(ratings.shape, np.nan) for method in METHODS}
    for u in range(train.n_users):
        rivals = []
        for v in range(train.n_users):
            product = ratings[u] @ ratings[v]
            if v != u and product != 0:
                rivals.append((product / np.sqrt((ratings[u] @ ratings[u]) * (ratings[v] @ ratings[v])), v))
        nearest = [v for _, v in sorted(rivals, reverse=True)[:k]]
        for i in range(train.n_items):
            if not any(rated[v, i] for v in nearest):
                continue
            mean = np.mean([ratings[v, i] for v in nearest])
            p_set = sum(ratings[v, i] for v in nearest) / sum(ratings[v].sum() for v in nearest)
            p_all = ratings[:, i].sum() / ratings.sum()
            if estimate == "nmle":
                p_set, p_all = p_set / len(nearest), p_all / train.n_users
            found[Rocchio][u, i] = mean
            found[RSV][u, i] = mean * p_set
            found[CHI2][u, i] = (p_set - p_all) ** 2 / p_all
            found[KLD][u, i] = p_set * np.log(p_set / p_all)
    return found


def test_rocchio_takes_the_mean_over_all_neighbours():
    np.testing.assert_array_equal(scored(Rocchio(), BOARD)[0], [3, 2, np.nan, np.nan])


def test_maximum_likelihood():
    # p(i|V) = 6/10 and 4/10; p(i|C) = 10/20 and 5/20.
    np.testing.assert_allclose(scored(RSV(estimate="mle"), BOARD)[0], [3 * 0.6, 2 * 0.4, np.nan, np.nan], rtol=1e-14)
    chi2 = [0.1**2 / 0.5, 0.15**2 / 0.25, np.nan, np.nan]
    np.testing.assert_allclose(scored(CHI2(estimate="mle"), BOARD)[0], chi2, rtol=1e-14)
    kld = [0.6 * np.log(1.2), 0.4 * np.log(1.6), np.nan, np.nan]
    np.testing.assert_allclose(scored(KLD(estimate="mle"), BOARD)[0], kld, rtol=1e-14)


def test_likelihoods_are_divided_by_two_neighbours_and_by_four_users():
    # p(i|V) = 3/10 and 2/10; p(i|C) = 2/16 and 1/16.
    np.testing.assert_allclose(scored(RSV(), BOARD)[0], [3 * 0.3, 2 * 0.2, np.nan, np.nan], rtol=1e-14)
    np.testing.assert_allclose(scored(CHI2(), BOARD)[0, :2], [0.175**2 / 0.125, 0.1375**2 / 0.0625], rtol=1e-14)
    np.testing.assert_allclose(scored(KLD(), BOARD)[0, :2], [0.3 * np.log(2.4), 0.2 * np.log(3.2)], rtol=1e-14)


def test_what_neighbours_avoid_has_a_negative_divergence_and_a_positive_square():
    # User 0 has the neighbour 1, who gave item 1 a fifth of all it gave; among all the item has 11/20.
    train = from_rows([[4, None, None], [4, 1, None], [None, 10, None], [None, None, 1]])
    kld = scored(KLD(k=1, estimate="mle"), train)[0]
    chi2 = scored(CHI2(k=1, estimate="mle"), train)[0]
    np.testing.assert_allclose(kld[1], 0.2 * np.log(0.2 / 0.55), rtol=1e-14)
    np.testing.assert_allclose(chi2[1], (0.2 - 0.55) ** 2 / 0.55, rtol=1e-14)


def test_ratings_of_zero_are_ratings():
    train = from_rows([[3, None, None], [3, 0, 0], [None, 3, None]])
    np.testing.assert_array_equal(scored(Rocchio(), train)[0], [3, 0, 0])
    # A probability of 0 among neighbours has no weight; an item of which all ratings are 0 has no probability to compare.
    np.testing.assert_allclose(scored(KLD(estimate="mle"), train)[0], [np.log(1.5), 0, np.nan], rtol=1e-14)
    np.testing.assert_allclose(scored(CHI2(estimate="mle"), train)[0], [1 / 6, 1 / 3, np.nan], rtol=1e-14)


@pytest.mark.parametrize("method", METHODS)
def test_interactions_without_ratings_count_as_ones(method):
    rows = [[1, 1, None], [None, 1, 1], [1, None, None]]
    np.testing.assert_array_equal(scored(method(), from_rows(rows, with_ratings=False)), scored(method(), from_rows(rows)))


@pytest.mark.parametrize("method", METHODS)
def test_a_user_without_neighbours_gets_no_scores(method):
    assert np.isnan(scored(method(), from_rows([[5, None], [None, 5], [None, None]]))).all()


@pytest.mark.parametrize("method", METHODS)
def test_negative_ratings_are_refused(method):
    with pytest.raises(DesignError, match="not defined for the negative rating -1"):
        scored(method(), from_rows([[3, -1]]))


@pytest.mark.parametrize("estimate", ["mle", "nmle"])
@pytest.mark.parametrize("k", [4, 100])
def test_plain_loops_agree(k, estimate):
    train = crowd(n_users=60, n_items=20, share=0.2)
    expected = by_plain_loops(train, k, estimate)
    np.testing.assert_allclose(scored(Rocchio(k=k), train), expected[Rocchio], rtol=1e-13)
    for method in (RSV, CHI2, KLD):
        np.testing.assert_allclose(scored(method(k=k, estimate=estimate), train), expected[method], rtol=1e-11)


@pytest.mark.parametrize("estimate", ["mle", "nmle"])
def test_rsv_ranks_as_rocchio_does(estimate):
    train = crowd(n_users=200, n_items=60)
    mean, selection = scored(Rocchio(k=20), train), scored(RSV(k=20, estimate=estimate), train)
    np.testing.assert_array_equal(np.argsort(-mean, kind="stable"), np.argsort(-selection, kind="stable"))


def test_divergences_sum_to_that_of_the_neighbours_from_all():
    train = crowd(n_users=80, n_items=30, share=0.3)
    total = np.nansum(scored(KLD(k=10, estimate="mle"), train), axis=1)
    # Gibbs' inequality: single terms may be negative, their sum never.
    assert (total > 0).all()
