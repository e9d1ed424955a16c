"""Neighbours by query likelihood, of users and of items: probabilities multiplied out on small boards, and plain loops."""

import numpy as np
import pytest

from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.files.scale import Scale
from recsens.recommenders import Recommender
from recsens.recommenders.lm_wsr import LMWSRIB, LMWSRUB, LanguageModels, likelihood_neighbours
from recsens.testing import crowd, from_rows

SMOOTHINGS = ["jelinek_mercer", "dirichlet", "absolute_discounting"]
PARAMETERS = {"mu": 50.0, "mixing": 0.7, "discount": 0.4}

# The ratings sum to 20, those of items 0, 1 and 2 to 10, 6 and 4; those of the users to 3, 8 and 9.
BOARD = from_rows([[2, None, 1], [4, 4, None], [4, 2, 3]])


def scored(model: Recommender, train: Interactions) -> np.ndarray:
    return model.fit(train, np.random.default_rng()).score(train, np.arange(train.n_users))


def models_of(ratings: np.ndarray, smoothing: str) -> np.ndarray:
    """Return p(c|v) of every row v and column c, word for word as the smoothings are defined."""
    mu, mixing, discount = PARAMETERS["mu"], PARAMETERS["mixing"], PARAMETERS["discount"]
    lengths, everywhere = ratings.sum(axis=1, keepdims=True), ratings.sum(axis=0) / ratings.sum()
    if smoothing == "dirichlet":
        return (ratings + mu * everywhere) / (lengths + mu)
    if smoothing == "jelinek_mercer":
        return (1 - mixing) * ratings / lengths + mixing * everywhere
    n_rated = (ratings > 0).sum(axis=1, keepdims=True)
    return (np.maximum(ratings - discount, 0) + discount * n_rated * everywhere) / lengths


def weights_by_plain_loops(ratings: np.ndarray, k: int, smoothing: str, prior: str, weight: str) -> np.ndarray:
    """Return the weight of every row v for every row u, NaN where v is no neighbour."""
    models, found = models_of(ratings, smoothing), np.full((len(ratings), len(ratings)), np.nan)
    for u, query in enumerate(ratings):
        rivals = []
        for v, document in enumerate(ratings):
            if v != u and query @ document > 0:
                log_prior = np.log(document.sum()) if prior == "linear" else 0.0
                rivals.append((log_prior + sum(query * np.log(models[v])), v))
        best = sorted(rivals, reverse=True)[:k]
        for likelihood, v in best:
            norms = np.linalg.norm(query) * np.linalg.norm(ratings[v])
            found[u, v] = {"uniform": 1.0, "cosine": query @ ratings[v] / norms, "loglik": likelihood - best[-1][0]}[weight]
    return found


def sums_by_plain_loops(ratings: np.ndarray, rated: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return Σ_v w_uv r_vi over the neighbours v who rated i, NaN where there are none."""
    scores = np.full((len(weights), ratings.shape[1]), np.nan)
    for u in range(len(weights)):
        for i in range(ratings.shape[1]):
            terms = [weights[u, v] * ratings[v, i] for v in range(len(ratings)) if rated[v, i] and not np.isnan(weights[u, v])]
            if terms:
                scores[u, i] = sum(terms)
    return scores


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_models_are_probabilities_and_likelihoods_their_products(smoothing):
    ratings, dense = BOARD.matrix, BOARD.matrix.toarray()
    models, everywhere = models_of(dense, smoothing), dense.sum(axis=0) / dense.sum()
    np.testing.assert_allclose(models.sum(axis=1), 1, rtol=1e-14)
    indptr, neighbours, log_odds = likelihood_neighbours(
        ratings, LanguageModels.of(ratings, smoothing, 50.0, 0.7, 0.4), np.zeros(3), 2
    )
    np.testing.assert_array_equal(indptr, [0, 2, 4, 6])
    np.testing.assert_array_equal(neighbours, [1, 2, 0, 2, 0, 1])
    for u, v, found in zip(np.repeat(np.arange(3), 2), neighbours, log_odds, strict=True):
        odds = np.prod((models[v] / everywhere) ** dense[u])
        np.testing.assert_allclose(np.exp(found), odds, rtol=1e-12)


def test_dirichlet_by_hand():
    # μ = 20, so μ p(i|C) = 10, 6, 4 and |v| + μ = 23, 28, 29. The query of user 0 is item 0 twice and item 2 once:
    # user 1 says it with (14/28)² (4/28) = .0357, user 2 with (14/29)² (7/29) = .0563.
    found = scored(LMWSRUB(k=1, smoothing="dirichlet", mu=20, weight="uniform"), BOARD)
    np.testing.assert_array_equal(found[0], [4, 2, 3])
    # The difference of their logarithms is what the more likely of two neighbours weighs; the other weighs 0.
    found = scored(LMWSRUB(k=2, smoothing="dirichlet", mu=20, weight="loglik"), BOARD)
    more = np.log((14 / 29) ** 2 * (7 / 29)) - np.log((14 / 28) ** 2 * (4 / 28))
    np.testing.assert_allclose(found[0], [4 * more, 2 * more, 3 * more], rtol=1e-12)


def test_items_by_hand():
    # Item 2 was rated by user 0 with 1 and by user 2 with 3. With λ = 1/2 the query has, under item 0, the probability
    # (.5 * 2/10 + .5 * 3/20) (.5 * 4/10 + .5 * 9/20)³ = .0134, and under item 1 (.5 * 3/20) (.5 * 2/6 + .5 * 9/20)³ = .0045.
    found = scored(LMWSRIB(k=1, smoothing="jelinek_mercer", mixing=0.5, weight="uniform"), BOARD)
    np.testing.assert_array_equal(found[:, 2], [2, 4, 4])
    # User 0 did not rate item 1, so that nothing is left where it is the neighbour of item 0.
    found = scored(LMWSRIB(k=2, smoothing="jelinek_mercer", mixing=0.5, weight="uniform"), BOARD)
    np.testing.assert_array_equal(found, [[1, 2 + 1, 2], [4, 4, 4 + 4], [2 + 3, 4 + 3, 4 + 2]])


def test_a_cosine_is_taken_of_the_raw_ratings():
    found = scored(LMWSRUB(k=1, smoothing="dirichlet", mu=20), BOARD)
    cosine = (2 * 4 + 1 * 3) / np.sqrt((4 + 1) * (16 + 4 + 9))
    np.testing.assert_allclose(found[0], cosine * np.array([4, 2, 3]), rtol=1e-14)


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize(("k", "prior", "weight"), [(5, "uniform", "cosine"), (5, "linear", "loglik"), (100, "linear", "uniform")])
def test_plain_loops_agree(smoothing, k, prior, weight):
    train = crowd(n_users=40, n_items=25, share=0.2)
    ratings = train.matrix.toarray()
    params = {"k": k, "smoothing": smoothing, "prior": prior, "weight": weight, **PARAMETERS}
    of_users = weights_by_plain_loops(ratings, k, smoothing, prior, weight)
    expected = sums_by_plain_loops(ratings, ratings > 0, of_users)
    np.testing.assert_allclose(scored(LMWSRUB(**params), train), expected, rtol=1e-9, atol=1e-9)
    of_items = weights_by_plain_loops(ratings.T, k, smoothing, prior, weight)
    expected = sums_by_plain_loops(ratings.T, ratings.T > 0, of_items).T
    np.testing.assert_allclose(scored(LMWSRIB(**params), train), expected, rtol=1e-9, atol=1e-9)


def test_more_than_one_block_of_users_is_searched():
    train = crowd(n_users=530, n_items=30, share=0.4)
    log_models = np.log(models_of(train.matrix.toarray(), "dirichlet"))
    smoothed = LanguageModels.of(train.matrix, "dirichlet", **PARAMETERS)
    indptr, neighbours, _ = likelihood_neighbours(train.matrix, smoothed, np.zeros(530), 7)
    for user in (0, 511, 512, 529):
        likelihoods = log_models @ train.matrix.toarray()[user]
        likelihoods[user] = -np.inf
        np.testing.assert_array_equal(neighbours[indptr[user] : indptr[user + 1]], np.sort(np.argsort(likelihoods)[-7:]))


def test_the_likelihood_prefers_what_is_rare_and_the_cosine_does_not():
    # Users 1 and 2 each share one item with user 0 and have the same cosine; everybody rated item 0, few rated item 1.
    rows = [[3, 3, None, None], [3, None, 3, None], [None, 3, None, 3], *[[3, None, None, None]] * 6]
    found = scored(LMWSRUB(k=1, weight="uniform"), from_rows(rows))
    np.testing.assert_array_equal(found[0], [np.nan, 3, np.nan, 3])


@pytest.mark.parametrize("smoothing", ["jelinek_mercer", "dirichlet"])
def test_with_little_smoothing_the_number_of_items_in_common_decides(smoothing):
    # User 1 has items 0 and 1 in common with user 0 and many others; user 2 only item 2, and nothing else.
    train = from_rows([[1, 1, 1, None, None], [1, 1, None, 5, 5], [None, None, 5, None, None]])
    found = scored(LMWSRUB(k=1, smoothing=smoothing, mixing=1e-6, mu=1e-6, weight="uniform"), train)
    np.testing.assert_array_equal(found[0], [1, 1, np.nan, 5, 5])


def test_with_much_smoothing_both_smoothings_rank_by_expected_ratings():
    # ln(1 + x) -> x: likelihoods become Σ_i r_ui r_vi / p(i|C), which a Dirichlet does not divide by |v|.
    train = crowd(n_users=30, n_items=20, share=0.4)
    ratings = train.matrix.toarray()
    products = ratings @ (ratings / (ratings.sum(axis=0) / ratings.sum())).T
    lengths = ratings.sum(axis=1)
    for smoothing, params, limit in (
        ("dirichlet", (1e9, 0.5, 0.5), products - np.outer(lengths, lengths)),
        ("jelinek_mercer", (1.0, 1 - 1e-9, 0.5), products / lengths - lengths[:, np.newaxis]),
    ):
        indptr, neighbours, log_odds = likelihood_neighbours(
            train.matrix, LanguageModels.of(train.matrix, smoothing, *params), np.zeros(30), 29
        )
        rows = np.repeat(np.arange(30), np.diff(indptr))
        np.testing.assert_allclose(log_odds * 1e9, limit[rows, neighbours], rtol=1e-3, atol=1)


def test_ratings_below_the_discount_lose_no_more_than_they_have():
    ratings = from_rows([[0.25, 2, 0]]).matrix
    models = LanguageModels.of(ratings, "absolute_discounting", 1.0, 0.5, 0.5)
    # What is left is 0, 1.5 and 0 of 2.25; .25 + .5 of it is spread.
    np.testing.assert_allclose(models.floors, np.log(0.75 / 2.25), rtol=1e-14)
    np.testing.assert_allclose(models.gains.values, [0, np.log1p(1.5 / (0.75 * 2 / 2.25)), 0], rtol=1e-14)


@pytest.mark.parametrize("weight", ["cosine", "uniform", "loglik"])
def test_the_higher_index_is_kept_among_equally_likely_users(weight):
    train = from_rows([[1, None, None, None], [1, 1, None, None], [1, None, 1, None], [1, None, None, 1]])
    rated = ~np.isnan(scored(LMWSRUB(k=2, weight=weight), train)[0])
    np.testing.assert_array_equal(rated, [True, False, True, True])


def test_a_neighbour_s_rating_of_zero_is_computable_but_makes_no_neighbour():
    train = from_rows([[5, None, None], [5, 0, None], [0, None, 4]])
    np.testing.assert_array_equal(scored(LMWSRUB(weight="uniform"), train)[0], [5, 0, np.nan])


def test_a_rating_that_is_discounted_whole_makes_no_neighbour_of_its_user():
    # User 0 has an item in common with each of the others; of user 1's rating .5 is too little to be left.
    train = from_rows([[0.5, 3, None, None], [0.5, None, 4, None], [None, 0.75, None, 4]], scale=Scale(0.5, 5))
    found = scored(LMWSRUB(smoothing="absolute_discounting", discount=0.5, weight="uniform"), train)
    np.testing.assert_array_equal(np.isnan(found), [[True, False, True, False], [True] * 4, [False, False, True, True]])


def test_a_rating_of_zero_says_nothing_of_a_profile():
    # Items 0 and 1 are related, and so are 2 and 3; user 2 has a zero for item 0.
    train = from_rows([[4, 4, None, None], [None, None, 4, 4], [0, None, 4, None]])
    np.testing.assert_array_equal(np.isnan(scored(LMWSRIB(), train)[2]), [True, True, True, False])


@pytest.mark.parametrize("method", [LMWSRUB, LMWSRIB])
def test_interactions_without_ratings_count_as_ones(method):
    rows = [[1, 1, None], [None, 1, 1], [1, None, None]]
    np.testing.assert_array_equal(scored(method(), from_rows(rows, with_ratings=False)), scored(method(), from_rows(rows)))


@pytest.mark.parametrize("method", [LMWSRUB, LMWSRIB])
def test_negative_ratings_are_refused(method):
    with pytest.raises(DesignError, match="not defined for the negative rating -1"):
        scored(method(), from_rows([[3, -1]]))


def test_the_memory_of_neighbours_is_asked_for(monkeypatch):
    monkeypatch.setenv("RECSENS_MEMORY_GIB", "1e-6")
    with pytest.raises(DesignError, match="the 40 neighbours of 40 rows"):
        scored(LMWSRUB(), crowd(n_users=40, n_items=25))
