"""BPR: the gradient compared with differences, the loss over all triples, and how often triples are drawn."""

from dataclasses import replace

import numpy as np
import pytest

from recsens import plugins
from recsens.data.interactions import Interactions
from recsens.errors import DesignError, SpecError
from recsens.recommenders._kernels import Rows
from recsens.recommenders.bpr import BPR, _draw_below, _step, is_rated, marks_of
from recsens.testing import checkerboard, crowd, from_rows

RATES = np.array([1e-7, 0.3, 0.2, 0.1, 0.4])
"""The learning rate, and the penalties of the user's, the rated item's and the other item's factors and of biases."""


def fitted(train: Interactions, **params) -> BPR:
    return BPR(**params).fit(train, np.random.default_rng(3))


def loss(train: Interactions, model: BPR) -> float:
    """Return -Σ ln σ(s(u, i) - s(u, j)) over all triples, each user's mean by rated item."""
    scores, rated = model.score(train, np.arange(train.n_users)), train.matrix.toarray() > 0
    total = 0.0
    for row, mask in zip(scores, rated, strict=True):
        total += np.log1p(np.exp(row[~mask][None, :] - row[mask][:, None])).mean(axis=1).sum()
    return float(total)


def objective(users: np.ndarray, items: np.ndarray, biases: np.ndarray) -> float:
    """Return ln σ(s(u, i) - s(u, j)) - λ terms / 2 for u = 1, i = 2, j = 0."""
    margin = biases[2] - biases[0] + users[1] @ (items[2] - items[0])
    squares = [(users[1] ** 2).sum(), (items[2] ** 2).sum(), (items[0] ** 2).sum(), biases[2] ** 2 + biases[0] ** 2]
    return float(-np.log1p(np.exp(-margin)) - RATES[1:] @ squares / 2)


def test_a_step_goes_along_the_gradient():
    rng = np.random.default_rng(5)
    before = [rng.normal(size=(2, 3)), rng.normal(size=(4, 3)), rng.normal(size=4)]
    after = [each.copy() for each in before]
    _step(1, 2, 0, RATES, *after)
    for which, array in enumerate(before):
        for place in np.ndindex(array.shape):
            up, down = [each.copy() for each in before], [each.copy() for each in before]
            up[which][place] += 1e-5
            down[which][place] -= 1e-5
            slope = (objective(*up) - objective(*down)) / 2e-5
            assert (after[which][place] - array[place]) / RATES[0] == pytest.approx(slope, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("sampling", ["ratings", "users"])
def test_the_loss_falls_from_epoch_to_epoch(sampling):
    train = crowd(n_users=60, n_items=40, share=0.3)
    found = [loss(train, fitted(train, epochs=epochs, sampling=sampling)) for epochs in (1, 4, 16, 64)]
    assert (np.diff(found) < 0).all()


def test_scores_are_biases_and_products():
    train = crowd(n_users=30, n_items=20, share=0.3)
    model = fitted(train, factors=3)
    learned = model.learned
    products = learned["user_factors"][[4, 2]] @ learned["item_factors"].T
    np.testing.assert_allclose(model.score(train, np.array([4, 2])), products + learned["item_biases"], rtol=1e-12)


def test_draws_are_uniform():
    state = np.array([7], dtype=np.uint64)
    drawn = np.bincount([_draw_below(state, np.int64(6)) for _ in range(6000)])
    assert len(drawn) == 6
    assert (abs(drawn - 1000) < 100).all()


@pytest.mark.parametrize(("params", "gain"), [({}, 0.0), ({"sampling": "users"}, 0.0), ({"sampling": "ratings"}, 0.1 - 0.9)])
def test_users_are_drawn_alike_or_ratings_are(params, gain):
    # Every triple of user 0 raises item 0; every triple of user 1, who rated the nine others, lowers it; each by half a step.
    train = from_rows([[5] + [None] * 9, [None] + [5] * 9])
    biases = fitted(train, epochs=1000, learning_rate=1e-7, factors=1, **params).learned["item_biases"]
    assert biases[0] / (0.5 * 1e-7 * 1000 * len(train)) == pytest.approx(gain, abs=0.03)


@pytest.mark.parametrize("n_items", [100, 10_000])
def test_rated_pairs_are_found_by_bits_or_by_a_search(n_items):
    train = crowd(n_users=61, n_items=100, share=0.3)
    rows = Rows.of(train.matrix)
    marks = marks_of(rows, n_items)
    assert marks.shape[1] == (2 if n_items == 100 else 0)
    found = [[is_rated(rows, marks, np.int64(user), np.int64(item)) for item in range(100)] for user in range(61)]
    np.testing.assert_array_equal(found, train.matrix.toarray() > 0)


def test_popular_items_have_higher_biases():
    train = from_rows([[5, 5, None], [5, None, 5], [5, None, None], [5, 5, None]])
    biases = fitted(train, epochs=200).learned["item_biases"]
    assert biases[0] > biases[1] > biases[2]


def test_the_stream_decides_what_is_drawn():
    train = crowd(n_users=30, n_items=20)
    same = fitted(train).learned["item_factors"]
    np.testing.assert_array_equal(fitted(train).learned["item_factors"], same)
    assert (BPR().fit(train, np.random.default_rng(4)).learned["item_factors"] != same).any()


def test_a_user_who_rated_everything_has_scores_but_no_triple():
    train = from_rows([[5, 3], [1, None]])
    alone = fitted(train, epochs=1).learned["user_factors"][0]
    np.testing.assert_array_equal(fitted(train, epochs=50).learned["user_factors"][0], alone)
    smaller = fitted(train, initial_deviation=0.01).learned["user_factors"][0]
    np.testing.assert_allclose(smaller, alone / 10, rtol=1e-12)
    assert not np.isnan(fitted(train).score(train, np.arange(2))).any()


def test_only_what_counts_is_computable():
    train = from_rows([[5, 1, None], [2, None, None], [None, 4, None]])
    missing = np.isnan(fitted(train).score(train, np.arange(3)))
    np.testing.assert_array_equal(missing, [[False, False, True]] * 3)
    missing = np.isnan(fitted(train, preference="positive").score(train, np.arange(3)))
    np.testing.assert_array_equal(missing, [[False, False, True], [True, True, True], [False, False, True]])


def test_triples_of_a_high_rating_and_a_low_one():
    # Users 0 and 1 have a 5 and a rating of at most 2; user 2 has no such low rating, user 3 no 5.
    train = from_rows([[5, 1, 3, None, 4], [5, None, None, 2, None], [None, 5, 3, None, 5], [4, 1, None, 1, None]])
    model = fitted(train, positive_from=5, negative_to=2, epochs=1000, learning_rate=1e-7, factors=1)
    # As many triples an epoch as there are ratings that count, two; each raises item 0, and lowers 1 or 3, by half a step.
    moved = model.learned["item_biases"] / (0.5 * 1e-7 * 1000)
    assert moved[[0, 1, 3]] == pytest.approx([2, -1, -1], abs=0.1)
    assert moved[1] + moved[3] == pytest.approx(-2, abs=0.01)
    np.testing.assert_array_equal(np.isnan(moved), [False, False, True, False, True])
    missing = np.isnan(model.score(train, np.arange(4)))
    np.testing.assert_array_equal(missing.all(axis=1), [False, False, True, True])


def test_every_rating_above_the_low_ones_is_high_unless_said():
    train = from_rows([[3, 1], [4, 2]])
    assert fitted(train, negative_to=2).score(train, np.array([0]))[0] @ [1, -1] > 0
    alone = fitted(train, negative_to=2, preference="positive").learned["user_factors"]
    np.testing.assert_array_equal(np.isnan(alone).all(axis=1), [True, False])


def test_a_threshold_of_its_own_is_like_that_of_relevance():
    train = crowd(n_users=30, n_items=20, share=0.4)
    ours, relevant = fitted(train, positive_from=train.scale.relevance), fitted(train, preference="positive")
    np.testing.assert_array_equal(ours.learned["item_factors"], relevant.learned["item_factors"])


def test_what_divides_ratings_needs_ratings_and_sides_that_do_not_meet():
    with pytest.raises(DesignError, match="these data have no ratings"):
        fitted(replace(crowd(), rating=None), negative_to=2)
    for spec, reason in (
        ("bpr(positive_from=3,negative_to=3)", "must be below positive_from"),
        ("bpr(positive_from=3,preference=positive)", "both say which ratings are positive"),
    ):
        with pytest.raises(SpecError, match=reason):
            plugins.build("recommender", spec)


def test_steps_that_are_too_long_are_reported():
    with pytest.raises(DesignError, match=r"diverged(.|\n)*lower learning_rate"):
        fitted(checkerboard().train, learning_rate=1, user_regularization=10, positive_regularization=10, epochs=200)
