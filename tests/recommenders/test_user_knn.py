"""User kNN: hand-worked similarities, and a plain loop over random data."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recsens.interactions import Interactions
from recsens.recommenders.user_knn import UserKNN
from recsens.testing import crowd, from_rows


def scored(train: Interactions, **params) -> np.ndarray:
    model = UserKNN(**params).fit(train, np.random.default_rng())
    return model.score(train, np.arange(train.n_users))


def by_plain_loop(train: Interactions, k: int, q: int) -> np.ndarray:
    ratings, rated = train.matrix.toarray(), np.zeros((train.n_users, train.n_items), dtype=bool)
    rated[train.user, train.item] = True
    scores = np.full(ratings.shape, np.nan)
    for u in range(train.n_users):
        rivals = []
        for v in range(train.n_users):
            product = ratings[u] @ ratings[v]
            if v != u and product != 0:
                rivals.append((product / np.sqrt((ratings[u] @ ratings[u]) * (ratings[v] @ ratings[v])), v))
        best = sorted(rivals, reverse=True)[:k]
        for i in range(train.n_items):
            terms = [similarity**q * ratings[v, i] for similarity, v in best if rated[v, i]]
            if terms:
                scores[u, i] = sum(terms)
    return scores


def test_scores_sum_similarity_times_rating():
    # cos(0, 1) = 3*4 / (5 * 5) = .48, cos(0, 2) = 4*2 / (5 * 2) = .8, cos(1, 2) = 0.
    train = from_rows([[3, 4, None, None], [4, None, 3, None], [None, 2, None, None]])
    np.testing.assert_allclose(
        scored(train),
        [
            [0.48 * 4, 0.8 * 2, 0.48 * 3, np.nan],
            [0.48 * 3, 0.48 * 4, np.nan, np.nan],
            [0.8 * 3, 0.8 * 4, np.nan, np.nan],
        ],
        rtol=1e-15,
    )


def test_only_the_k_most_similar_users_are_heard():
    train = from_rows([[3, 4, None], [4, None, 3], [None, 2, None]])
    np.testing.assert_allclose(scored(train, k=1)[0], [np.nan, 0.8 * 2, np.nan], rtol=1e-15)


def test_the_exponent_sharpens_similarities():
    train = from_rows([[3, 4, None], [4, None, 3], [None, 2, None]])
    np.testing.assert_allclose(scored(train, q=2)[0], [0.48**2 * 4, 0.8**2 * 2, 0.48**2 * 3], rtol=1e-15)
    np.testing.assert_array_equal(scored(train, q=0)[0], [4, 2, 3])


def test_the_higher_index_is_kept_among_equally_similar_users():
    train = from_rows([[1, None, None, None], [1, 1, None, None], [1, None, 1, None], [1, None, None, 1]])
    rated = ~np.isnan(scored(train, k=2)[0])
    np.testing.assert_array_equal(rated, [True, False, True, True])


def test_a_neighbour_s_rating_of_zero_is_computable():
    train = from_rows([[5, None], [5, 0]])
    np.testing.assert_array_equal(scored(train), [[5, 0], [5, np.nan]])


def test_interactions_without_ratings_count_as_ones():
    rows = [[1, 1, None], [None, 1, 1], [1, None, None]]
    np.testing.assert_array_equal(scored(from_rows(rows, with_ratings=False)), scored(from_rows(rows)))


def test_a_user_without_neighbours_gets_no_scores():
    train = from_rows([[5, None], [None, 5], [None, None]])
    assert np.isnan(scored(train)).all()


cells = st.one_of(st.none(), st.integers(-2, 5))
matrices = st.integers(1, 6).flatmap(
    lambda n_items: st.lists(st.lists(cells, min_size=n_items, max_size=n_items), min_size=1, max_size=8)
)


@settings(max_examples=100, deadline=None)
@given(matrices, st.integers(1, 9), st.integers(0, 3))
def test_a_plain_loop_agrees_on_small_matrices(rows, k, q):
    train = from_rows(rows)
    np.testing.assert_allclose(scored(train, k=k, q=q), by_plain_loop(train, k, q), rtol=1e-14)


@pytest.mark.parametrize("k", [5, 100])
def test_a_plain_loop_agrees_over_more_than_one_block_of_users(k):
    train = crowd(n_users=530, n_items=15, share=0.2)
    np.testing.assert_allclose(scored(train, k=k), by_plain_loop(train, k, 1), rtol=1e-13)


def test_too_few_common_items_make_no_neighbour():
    # Users 0 and 1 share two items, users 0 and 2 only one.
    train = from_rows([[3, 4, None, None], [4, 3, None, 1], [None, 2, 5, None]])
    assert np.isnan(scored(train, overlap=2)[0, 2])
    assert not np.isnan(scored(train, overlap=2)[0, 3])
    assert np.isnan(scored(train, overlap=3)).all()


def test_preferences_can_be_binary():
    train = from_rows([[3, 4, None], [4, None, 3], [None, 2, None]])
    # Two rated items each, one of them in common: cos(0, 1) = 1/2; cos(0, 2) = 1/sqrt(2).
    np.testing.assert_allclose(scored(train, preference="binary")[0], [0.5, 1 / np.sqrt(2), 0.5], rtol=1e-15)


def test_only_relevant_ratings_can_count():
    train = from_rows([[3, 4, 5], [4, 4, 3], [None, 5, 2]])
    # Relevant: items 1 and 2 of user 0, items 0 and 1 of user 1, item 1 of user 2.
    found = scored(train, preference="positive")
    np.testing.assert_allclose(found[0], [0.5, 0.5 + 1 / np.sqrt(2), np.nan], rtol=1e-15)
