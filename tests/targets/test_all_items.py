"""AllItems: everything that the user has no train rating for."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recsens.seeds import Stream
from recsens.targets.all_items import AllItems
from recsens.testing import from_rows

X = None
STREAM = Stream.of(0, "targets")


def test_items_of_the_users_own_train_set_are_left_out():
    train = from_rows([[5, X, 3, X], [X, X, X, 1], [X, X, X, X]])
    test = from_rows([[X, 4, X, X], [X, X, X, X], [2, X, X, X]])
    mask = AllItems().mask(train, test, np.array([0, 1, 2]), STREAM)
    assert mask.tolist() == [[False, True, False, True], [True, True, True, False], [True, True, True, True]]


def test_rows_follow_the_users_asked_for():
    train = from_rows([[5, X], [X, 2], [X, X]])
    mask = AllItems().mask(train, from_rows([[X, X]] * 3), np.array([2, 0, 0]), STREAM)
    assert mask.tolist() == [[True, True], [False, True], [False, True]]


def test_a_train_rating_of_zero_is_a_train_rating():
    train = from_rows([[0, X]])
    assert AllItems().mask(train, from_rows([[X, X]]), np.array([0]), STREAM).tolist() == [[False, True]]


@given(st.lists(st.lists(st.booleans(), min_size=5, max_size=5), min_size=1, max_size=6))
def test_targets_and_train_are_each_others_rest(rated):
    train = from_rows([[3 if met else None for met in row] for row in rated])
    mask = AllItems().mask(train, train, np.arange(len(rated)), STREAM)
    np.testing.assert_array_equal(mask, ~np.array(rated))


def test_the_choice_does_not_look_at_the_test_set():
    assert not AllItems.uses_test
