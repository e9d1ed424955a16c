"""BPR through implicit: its input, the use of its factors, and which items it pushes down."""

import numpy as np

from recsens.data.interactions import Interactions
from recsens.recommenders.bpr import BPR, BPRImplicit
from recsens.testing import crowd, from_rows


def fitted(train: Interactions, **params) -> BPRImplicit:
    return BPRImplicit(**params).fit(train, np.random.default_rng(3))


def test_scores_are_products_of_factors_with_the_bias_beside_a_one():
    train = crowd(n_users=30, n_items=20, share=0.3)
    model = fitted(train, factors=3)
    users, items = (model.learned[name].astype(np.float64) for name in ("user_factors", "item_factors"))
    np.testing.assert_array_equal(users[:, 3], 1.0)
    np.testing.assert_allclose(model.score(train, np.array([4, 2])), users[[4, 2]] @ items.T, rtol=1e-10, atol=1e-12)


def test_rated_items_rise_above_the_others():
    train = crowd(n_users=60, n_items=40, share=0.3)
    scores, rated = fitted(train, learning_rate=0.05).score(train, np.arange(60)), train.matrix.toarray() > 0
    assert scores[rated].mean() > scores[~rated].mean() + 1


def test_popular_items_are_held_down_which_uniform_draws_do_not():
    # Item i was rated by 10 (i + 1) of 100 users.
    train = from_rows([[5 if (7 * user + 13 * item) % 100 < 10 * (item + 1) else None for item in range(9)] for user in range(100)])
    settings = {"factors": 2, "epochs": 100, "learning_rate": 0.05}
    theirs = fitted(train, **settings, regularization=0.01).learned["item_factors"][:, -1]
    ours = BPR(**settings).fit(train, np.random.default_rng(3)).learned["item_biases"]
    assert np.ptp(theirs) < np.ptp(ours)


def test_the_stream_decides_what_is_drawn():
    train = crowd(n_users=30, n_items=20)
    same = fitted(train).learned["item_factors"]
    np.testing.assert_array_equal(fitted(train).learned["item_factors"], same)
    assert (BPRImplicit().fit(train, np.random.default_rng(4)).learned["item_factors"] != same).any()


def test_only_what_counts_is_computable():
    train = from_rows([[5, 1, None], [2, None, None], [None, 4, None]])
    missing = np.isnan(fitted(train).score(train, np.arange(3)))
    np.testing.assert_array_equal(missing, [[False, False, True]] * 3)
    missing = np.isnan(fitted(train, preference="positive").score(train, np.arange(3)))
    np.testing.assert_array_equal(missing, [[False, False, True], [True, True, True], [False, False, True]])
