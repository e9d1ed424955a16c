"""Item kNN: hand-worked sums, a plain loop for both kinds of neighbourhood, and implicit as a second opinion."""

import numpy as np
import pytest
from implicit.nearest_neighbours import CosineRecommender
from scipy.sparse import csr_matrix

from recsens.data.interactions import Interactions
from recsens.files.scale import Scale
from recsens.recommenders.nearest_neighbours import ItemKNN
from recsens.testing import crowd, from_rows


def scored(train: Interactions, **params) -> np.ndarray:
    model = ItemKNN(**params).fit(train, np.random.default_rng())
    return model.score(train, np.arange(train.n_users))


def by_plain_loop(train: Interactions, k: int, q: int, of: str, alpha: float) -> np.ndarray:
    ratings = train.matrix.toarray().T
    rated = ratings != 0
    squared = (ratings**2).sum(axis=1)
    scores = np.full((train.n_users, train.n_items), np.nan)

    def best(i: int) -> dict[int, float]:
        products = {j: ratings[i] @ ratings[j] for j in range(train.n_items) if j != i}
        rivals = [(product / (squared[i] ** alpha * squared[j] ** (1 - alpha)), j) for j, product in products.items() if product]
        return {j: similarity for similarity, j in sorted(rivals, reverse=True)[:k]}

    near = [best(i) for i in range(train.n_items)]
    for u in range(train.n_users):
        for i in range(train.n_items):
            profile = np.flatnonzero(rated[:, u])
            if of == "profile":
                terms = [near[j][i] ** q * ratings[j, u] for j in profile if i in near[j]]
            else:
                terms = [near[i][j] ** q * ratings[j, u] for j in profile if j in near[i]]
            if terms:
                scores[u, i] = sum(terms)
    return scores


# Items: a = (3, 4, 0), b = (4, 0, 0), c = (0, 3, 1). cos(a, b) = 12/20, cos(a, c) = 12 / (5 sqrt(10)), cos(b, c) = 0.
ROWS = [[3, 4, None], [4, None, 3], [None, None, 1]]
A_B, A_C = 0.6, 12 / (5 * np.sqrt(10))


def test_scores_sum_similarity_times_the_profile_s_rating():
    np.testing.assert_allclose(
        scored(from_rows(ROWS), of="profile"),
        [[A_B * 4, A_B * 3, A_C * 3], [A_C * 3, A_B * 4, A_C * 4], [A_C, np.nan, np.nan]],
        rtol=1e-15,
    )


def test_neighbours_are_those_of_the_rated_item_or_of_the_scored_one():
    # The item nearest to a is c; to b and to c it is a.
    np.testing.assert_allclose(scored(from_rows(ROWS), k=1, preset="ranksys")[0], [A_B * 4, np.nan, A_C * 3], rtol=1e-15)
    np.testing.assert_allclose(scored(from_rows(ROWS), k=1)[0], [np.nan, A_B * 3, A_C * 3], rtol=1e-15)


def test_the_asymmetry_is_seen_from_the_item_whose_neighbours_are_sought():
    # sim(a, b) = 12 / (25^1 16^0) from a, 12 / 16 from b.
    np.testing.assert_allclose(scored(from_rows(ROWS), alpha=1, of="profile")[0, 1], 12 / 25 * 3, rtol=1e-15)
    np.testing.assert_allclose(scored(from_rows(ROWS), alpha=1)[0, 1], 12 / 16 * 3, rtol=1e-15)


@pytest.mark.parametrize("of", ["profile", "target"])
@pytest.mark.parametrize(("k", "q", "alpha"), [(3, 1, 0.5), (5, 2, 0.3), (100, 0, 0.5)])
def test_a_plain_loop_agrees(of, k, q, alpha):
    train = crowd(n_users=25, n_items=30, share=0.3)
    np.testing.assert_allclose(scored(train, k=k, q=q, of=of, alpha=alpha), by_plain_loop(train, k, q, of, alpha), rtol=1e-13)


# implicit warns about a conversion that it does itself.
@pytest.mark.filterwarnings("ignore:Method expects CSR")
def test_implicit_agrees_which_counts_an_item_among_its_own_neighbours():
    train = crowd(n_users=60, n_items=40, share=0.2)
    k, user_items = 7, csr_matrix(train.matrix)
    second = CosineRecommender(K=k + 1, num_threads=1)
    second.fit(user_items, show_progress=False)
    ours = scored(train, k=k, of="profile")
    for u in range(train.n_users):
        items, scores = second.recommend(u, user_items[u], N=10, filter_already_liked_items=True)
        np.testing.assert_allclose(np.nan_to_num(ours[u, items]), scores, rtol=1e-10)
        unseen = np.setdiff1d(np.arange(train.n_items), user_items[u].indices)
        best = np.sort(np.nan_to_num(ours[u, unseen]))[::-1][:10]
        np.testing.assert_allclose(np.sort(scores)[::-1], best[: len(scores)], rtol=1e-10)


def test_interactions_without_ratings_count_as_ones():
    rows = [[1, 1, None], [None, 1, 1], [1, None, None]]
    np.testing.assert_array_equal(scored(from_rows(rows, with_ratings=False)), scored(from_rows(rows)))


@pytest.mark.parametrize("of", ["profile", "target"])
def test_a_rating_of_zero_says_nothing_of_a_profile(of):
    # Items 0 and 1 are related, and so are 2 and 3; user 2 has rated item 0 with zero, user 3 all of them.
    rows = [[4, 4, None, None], [None, None, 4, 4], [0, None, 4, None], [0, None, None, None]]
    missing = np.isnan(scored(from_rows(rows, scale=Scale(0, 4, 1)), of=of))
    np.testing.assert_array_equal(missing[2:], [[True, True, True, False], [True] * 4])


def test_items_without_a_common_user_are_not_computable():
    assert np.isnan(scored(from_rows([[5, None], [None, 5], [None, None]]))).all()
