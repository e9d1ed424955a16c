"""User kNN: hand-worked similarities, and a plain loop over random data."""

from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.recommenders.nearest_neighbours import UserKNN
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
        [[0.48 * 4, 0.8 * 2, 0.48 * 3, np.nan], [0.48 * 3, 0.48 * 4, np.nan, np.nan], [0.8 * 3, 0.8 * 4, np.nan, np.nan]],
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


# Two users with the ratings (3, 4) and (4, -, 3) of items, and a third with (-, 2): |u0 & u1| = |u0 & u2| = 1.
PAIR = [[3, 4, None], [4, None, 3], [None, 2, None]]


@pytest.mark.parametrize(
    ("params", "to_user_1", "to_user_2"),
    [
        ({"similarity": "cosine", "alpha": 0}, 12 / 25, 8 / 4),
        ({"similarity": "cosine", "alpha": 1}, 12 / 25, 8 / 25),
        ({"similarity": "cosine", "alpha": 0.25}, 12 / 25, 8 / (25**0.25 * 4**0.75)),
        ({"similarity": "vector_jaccard"}, 12 / (25 + 25 - 12), 8 / (25 + 4 - 8)),
        ({"similarity": "set_cosine"}, 1 / 2, 1 / np.sqrt(2)),
        ({"similarity": "set_cosine", "alpha": 1}, 1 / 2, 1 / 2),
        ({"similarity": "jaccard"}, 1 / 3, 1 / 2),
    ],
)
def test_similarities(params, to_user_1, to_user_2):
    found = scored(from_rows(PAIR), **params)[0]
    np.testing.assert_allclose(found, [to_user_1 * 4, to_user_2 * 2, to_user_1 * 3], rtol=1e-14)


def llr(both: int, first: int, second: int, neither: int) -> float:
    """Compute Dunning's ratio by its definition: log likelihoods of two binomials with a share each, and with one for both."""

    def log_likelihood(p: float, k: int, n: int) -> float:
        return (k * np.log(p) if k else 0.0) + ((n - k) * np.log(1 - p) if n - k else 0.0)

    n1, n2 = both + second, first + neither
    common = (both + first) / (n1 + n2)
    apart = (log_likelihood(both / n1, both, n1), log_likelihood(first / n2, first, n2))
    return 2 * (sum(apart) - log_likelihood(common, both, n1) - log_likelihood(common, first, n2))


def test_the_similarity_of_likelihoods_is_that_of_the_table_of_common_items():
    # Of five items, users 0 and 1 share two, and each has one alone; nobody rated the fifth.
    train = from_rows([[5, 4, 3, None, None], [1, 2, None, 3, None]])
    statistic = 2 * (2 * np.log(2 * 5 / 9) + 2 * np.log(1 * 5 / 6) + np.log(1 * 5 / 4))
    assert statistic == pytest.approx(llr(2, 1, 1, 1))
    np.testing.assert_allclose(scored(train, similarity="log_likelihood")[0, 3], 3 * (1 - 1 / (1 + statistic)), rtol=1e-13)


def test_likelihoods_of_a_crowd():
    train = crowd(n_users=20, n_items=30, share=0.3)
    met = train.matrix.toarray() > 0
    expected = np.zeros((20, 20))
    for u in range(20):
        for v in range(20):
            table = [np.count_nonzero(a & b) for a in (met[u], ~met[u]) for b in (met[v], ~met[v])]
            expected[u, v] = (1 - 1 / (1 + llr(*table))) * (u != v) * (table[0] > 0)
    found = UserKNN(similarity="log_likelihood").fit(train, np.random.default_rng()).learned
    dense = np.zeros((20, 20))
    dense[np.repeat(np.arange(20), np.diff(found["indptr"])), found["neighbours"]] = found["weights"]
    np.testing.assert_allclose(dense, expected, atol=1e-12)


@pytest.mark.parametrize("similarity", ["set_cosine", "jaccard", "log_likelihood"])
def test_similarities_of_sets_know_who_met_what_and_sums_know_ratings(similarity):
    rated, met = from_rows(PAIR), from_rows(PAIR, with_ratings=False)
    neighbours = [UserKNN(similarity=similarity).fit(train, np.random.default_rng()).learned for train in (rated, met)]
    np.testing.assert_array_equal(neighbours[0]["weights"], neighbours[1]["weights"])
    assert scored(rated, similarity=similarity)[0, 2] == 3 * scored(met, similarity=similarity)[0, 2]


def test_a_rating_of_zero_is_met_for_sets_only():
    train = from_rows([[0, 2, None], [3, None, 4]])
    assert np.isnan(scored(train, similarity="vector_jaccard")).all()
    np.testing.assert_allclose(scored(train, similarity="jaccard")[0], [1, np.nan, 4 / 3])


def test_the_published_setting_is_the_default_and_keeps_its_bytes():
    train = crowd()
    assert UserKNN(preset="canamares2020").spec.params == (("preset", "canamares2020"),)
    # Cosines are made of sums of products of whole numbers, a root and a quotient, which every processor rounds alike.
    published = scored(train, preset="canamares2020")
    np.testing.assert_array_equal(published, scored(train, k=100))
    assert sha256(published.tobytes()).hexdigest()[:16] == "c06f77aa313b70b1"


def test_neighbours_that_do_not_fit_into_memory_are_refused(monkeypatch):
    monkeypatch.setenv("RECSENS_MEMORY_GIB", "0.000001")
    with pytest.raises(DesignError, match=r"the 100 neighbours of 600 rows"):
        UserKNN().fit(crowd(), np.random.default_rng())
