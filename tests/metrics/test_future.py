"""Recommendations of items that did not exist yet when the user was tested."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics import lists
from metrics.rankings import built
from recsens.errors import DesignError
from recsens.metrics import Moments

# Items 0 to 3 are first rated at 10, 20, 30 and never.
BORN = np.array([10, 20, 30, np.nan])


def measure(rows, tested, *cutoffs, born=BORN):
    known = replace(lists.catalogue([], len(rows), len(born)), moments=Moments(np.asarray(born, float), np.asarray(tested, float)))
    return built("Future").measure_lists(lists.lists(rows, known), lists.judged(rows), cutoffs)


def test_an_item_is_from_the_future_if_first_rated_after_the_users_moment():
    found = measure([[2, 0, 1], [1, 2], [], [0, 1]], [20, 5, 7, np.nan], 1, 2, 3, 10)
    np.testing.assert_array_equal(found[0], [1, 1 / 2, 1 / 3, 1 / 3])
    assert found[1].tolist() == [1, 1, 1, 1]
    assert found[2].tolist() == [0, 0, 0, 0]
    assert np.isnan(found[3]).all()


@given(lists.worlds(), st.lists(st.integers(1, 9), min_size=1, max_size=3), st.data())
def test_as_defined(world, cutoffs, data):
    rows, known, _ = world
    moment = st.integers(0, 5)
    born = [data.draw(moment) for _ in range(known.n_items)]
    tested = [data.draw(moment) for _ in rows]
    expected = [
        [sum(born[item] > t for item in row[:n]) / len(row[:n]) if row else 0 for n in cutoffs]
        for row, t in zip(rows, tested, strict=True)
    ]
    np.testing.assert_allclose(measure(rows, tested, *cutoffs, born=born), expected)


def test_moments_are_the_first_of_an_item_anywhere_and_of_a_user_in_test():
    user, item, time = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 0]), np.array([5, 9, 7, 2])
    found = Moments.of(user, item, time, np.array([False, True, True, False]), (3, 3))
    np.testing.assert_array_equal(found.first_rated, [2, 7, np.nan])
    np.testing.assert_array_equal(found.tested_from, [9, 7, np.nan])


def test_data_without_time_stamps_are_refused():
    rows = [[0]]
    with pytest.raises(DesignError, match="no time stamps"):
        built("Future").measure_lists(lists.lists(rows, lists.catalogue([], 1, 1)), lists.judged(rows), (1,))
