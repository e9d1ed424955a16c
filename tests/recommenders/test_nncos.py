"""NNCosNgbr: hand-worked biases and sums, and a plain loop over pairs for both kinds of neighbours."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.recommenders.nncos import NNCosIB, NNCosUB, shrunk_biases
from recsens.testing import crowd, from_rows

BOTH = pytest.mark.parametrize("kind", [NNCosUB, NNCosIB])
PLAIN = {"shrinkage": 0, "item_shrinkage": 0, "user_shrinkage": 0}


def scored(kind, train: Interactions, **params) -> np.ndarray:
    model = kind(**params).fit(train, np.random.default_rng())
    return model.score(train, np.arange(train.n_users))


def by_plain_loop(kind, train: Interactions, k: int, shrinkage: float, *, biased: bool) -> np.ndarray:
    """Follow the definition pair by pair, with users and items exchanged for neighbourhoods of items."""
    ratings, met = train.matrix.toarray(), np.zeros((train.n_users, train.n_items), dtype=bool)
    met[train.user, train.item] = True
    bias = np.zeros(ratings.shape)
    if biased and len(train):
        mean = train.rating.mean()
        of_items = np.array([(ratings[:, i] - mean)[met[:, i]].sum() / (25 + met[:, i].sum()) for i in range(train.n_items)])
        of_users = np.array([(r - mean - of_items)[m].sum() / (10 + m.sum()) for r, m in zip(ratings, met, strict=True)])
        bias = mean + of_users[:, None] + of_items
    left = np.where(met, ratings - bias, 0.0)
    if kind is NNCosIB:
        ratings, met, bias, left = ratings.T, met.T, bias.T, left.T
    scores = np.full(ratings.shape, np.nan)
    for a in range(len(ratings)):
        near = []
        for b in range(len(ratings)):
            product, common = ratings[a] @ ratings[b], np.count_nonzero(met[a] & met[b])
            if a != b and product != 0:
                cosine = product / np.sqrt((ratings[a] @ ratings[a]) * (ratings[b] @ ratings[b]))
                near.append((common / (common + shrinkage) * cosine, b))
        near.sort(reverse=True)
        for c in range(ratings.shape[1]):
            terms = [similarity * left[b, c] for similarity, b in near if met[b, c]][:k]
            if terms or biased:
                scores[a, c] = bias[a, c] + sum(terms)
    scores = scores.T if kind is NNCosIB else scores
    scores[:, train.item_counts == 0] = np.nan
    return scores


def test_biases_are_means_drawn_towards_zero():
    # The mean is 3; the items' sums of r - 3 are 3 (of two), -1 and -2; λ_I = 2 and λ_U = 1.
    biases = shrunk_biases(from_rows([[5, 2, None], [4, None, 1], [None, None, None]]), of_items=2, of_users=1)
    assert biases.mean == 3
    np.testing.assert_allclose(biases.items, [3 / 4, -1 / 3, -2 / 3])
    first = (5 - 3 - 3 / 4) + (2 - 3 + 1 / 3)
    second = (4 - 3 - 3 / 4) + (1 - 3 + 2 / 3)
    np.testing.assert_allclose(biases.users, [first / 3, second / 3, 0])


def test_nobody_and_nothing_have_no_bias():
    biases = shrunk_biases(from_rows([[None, None]]), of_items=0, of_users=0)
    assert biases.mean == 0
    np.testing.assert_array_equal(biases.items, [0, 0])


def test_users_add_what_the_nearest_rater_left_of_its_bias():
    # μ = 3; b_i = (1, -1, 0); b_u = 0 for all. Residuals: user 0 (0, 0, -), user 1 (0, -, 0).
    train = from_rows([[4, 2, None], [4, None, 3], [None, 2, 3]])
    np.testing.assert_allclose(scored(NNCosUB, train, **PLAIN), np.tile([4, 2, 3], (3, 1)))
    # Without biases: cos(0, 1) = 16 / (sqrt(20) 5), cos(0, 2) = 4 / (sqrt(20) sqrt(13)).
    found = scored(NNCosUB, train, remove_biases=False, **PLAIN)[0]
    near, far = 16 / (np.sqrt(20) * 5), 4 / np.sqrt(20 * 13)
    np.testing.assert_allclose(found, [near * 4, far * 2, near * 3 + far * 3])
    nearest = scored(NNCosUB, train, remove_biases=False, k=1, **PLAIN)[0]
    np.testing.assert_allclose(nearest, [near * 4, far * 2, near * 3])


def test_items_add_what_the_nearest_in_the_profile_left_of_its_bias():
    # Items (3, 4), (4, -) and (-, 3): cos(0, 1) = 12/20, cos(0, 2) = 12/15, cos(1, 2) = 0.
    train = from_rows([[3, 4, None], [4, None, 3]])
    found = scored(NNCosIB, train, remove_biases=False, **PLAIN)
    np.testing.assert_allclose(found, [[0.6 * 4, 0.6 * 3, 0.8 * 3], [0.8 * 3, 0.6 * 4, 0.8 * 4]])
    # One common user of every pair that has any: λ = 3 leaves a quarter.
    shrunk = scored(NNCosIB, train, remove_biases=False, shrinkage=3)
    np.testing.assert_allclose(shrunk, found / 4)


def test_k_neighbours_are_taken_of_those_who_can_tell():
    # User 3 is the nearest to user 0, but did not rate the last item: user 1 speaks for it with k = 1.
    train = from_rows([[5, 5, 5, None], [5, None, None, 4], [1, None, None, 2], [5, 5, 5, None]])
    assert scored(NNCosUB, train, k=1, remove_biases=False, **PLAIN)[0, 3] == pytest.approx(25 / np.sqrt(75 * 41) * 4)


@BOTH
@pytest.mark.parametrize("biased", [True, False])
@pytest.mark.parametrize("k", [1, 4, 200])
def test_a_plain_loop_agrees(kind, biased, k):
    train = crowd(n_users=25, n_items=18, share=0.3)
    expected = by_plain_loop(kind, train, k, 100.0, biased=biased)
    np.testing.assert_allclose(scored(kind, train, k=k, remove_biases=biased), expected, rtol=1e-11)


cells = st.one_of(st.none(), st.integers(-2, 5))
matrices = st.integers(1, 5).flatmap(
    lambda n_items: st.lists(st.lists(cells, min_size=n_items, max_size=n_items), min_size=1, max_size=6)
)


@given(matrices, st.integers(1, 4), st.booleans())
def test_a_plain_loop_agrees_on_small_matrices(rows, k, biased):
    train = from_rows(rows)
    for kind in (NNCosUB, NNCosIB):
        expected = by_plain_loop(kind, train, k, 1.0, biased=biased)
        found = scored(kind, train, k=k, shrinkage=1, remove_biases=biased)
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)


@BOTH
def test_biases_make_every_pair_of_known_items_computable(kind):
    train = from_rows([[5, None, 2, None], [None, 4, None, None], [None] * 4])
    biased, plain = scored(kind, train), scored(kind, train, remove_biases=False)
    np.testing.assert_array_equal(np.isnan(biased), np.tile([False, False, False, True], (3, 1)))
    assert np.isnan(plain[1:]).all()
    biases = shrunk_biases(train, 25, 10)
    np.testing.assert_allclose(biased[2, :3], biases.mean + biases.items[:3])


def test_similarities_of_items_that_do_not_fit_into_memory_are_refused(monkeypatch):
    monkeypatch.setenv("RECSENS_MEMORY_GIB", "0.000001")
    with pytest.raises(DesignError, match=r"similarities of items"):
        NNCosIB().fit(crowd(n_users=40, n_items=30), np.random.default_rng())


def test_similarities_of_a_block_of_users_that_do_not_fit_into_memory_are_refused(monkeypatch):
    monkeypatch.setenv("RECSENS_MEMORY_GIB", "0.000001")
    train = crowd(n_users=40, n_items=30)
    with pytest.raises(DesignError, match=r"similarities of users"):
        scored(NNCosUB, train)
