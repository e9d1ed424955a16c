"""AverageRating: item means, plain and damped, worked by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsens.recommenders.trivial import AverageRating
from recsens.testing import crowd, from_rows

ROWS = [[5, 1, None, None], [4, 2, None, 3], [None, 3, None, None]]
"""Six ratings, 3 on average."""


def averages(train, damping=0.0):
    return AverageRating(damping=damping).fit(train, np.random.default_rng()).score(train, np.array([2, 0]))


@pytest.mark.parametrize(
    ("damping", "expected"), [(0, [4.5, 2, np.nan, 3]), (1, [4, 2.25, np.nan, 3]), (3, [18 / 5, 15 / 6, np.nan, 3])]
)
def test_items_score_their_average_drawn_to_that_of_all_ratings(damping, expected):
    np.testing.assert_allclose(averages(from_rows(ROWS), damping), [expected, expected])


def test_damping_keeps_one_high_rating_from_the_top():
    # Plain 5, 4.75 and 1.5; drawn to 10/3 by one rating more, 25/6 and 67/15 for the first two.
    train = from_rows([[5, 4, 1], [None, 5, 2], [None, 5, 1], [None, 5, 2]])
    assert np.argmax(averages(train)[0]) == 0
    assert averages(train, damping=1)[0, :2] == pytest.approx([25 / 6, 67 / 15])


def test_without_ratings_all_items_that_somebody_met_tie():
    np.testing.assert_array_equal(averages(from_rows(ROWS, with_ratings=False))[0], [1, 1, np.nan, 1])
    np.testing.assert_allclose(averages(from_rows(ROWS, with_ratings=False), damping=7)[0], [1, 1, np.nan, 1])


def test_nothing_is_computable_from_nothing():
    assert np.isnan(averages(from_rows([[None, None]] * 3), damping=2)).all()


@given(st.floats(0, 1e6))
def test_damped_averages_lie_between_the_plain_one_and_the_global_mean(damping):
    train = crowd(n_users=20, n_items=10)
    centre = train.values.mean()
    plain, damped = averages(train)[0], averages(train, damping)[0]
    rated = ~np.isnan(plain)
    np.testing.assert_array_equal(np.isnan(damped), ~rated)
    assert (np.abs(damped - centre) <= np.abs(plain - centre) + 1e-12)[rated].all()
    assert ((damped - centre) * (plain - centre) >= -1e-12)[rated].all()


def test_scores_are_on_the_rating_scale():
    train = crowd(n_users=50, n_items=30)
    scores = averages(train, damping=3)
    assert AverageRating.predicts_ratings
    assert np.nanmin(scores) >= train.scale.lowest
    assert np.nanmax(scores) <= train.scale.highest
