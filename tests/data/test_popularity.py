"""Items by popularity: which item comes first, and to which percentile an item belongs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsens.data.popularity import by_popularity, percentiles
from recsens.errors import DesignError

COUNTS = np.array([3, 9, 3, 0, 9, 1, 5])
KEYS = np.array([10, 11, 4, 13, 2, 15, 16])


def test_the_most_popular_comes_first_and_the_lower_key_among_equals():
    assert by_popularity(COUNTS, KEYS).tolist() == [4, 1, 6, 2, 0, 5, 3]


def test_percentiles_hold_as_many_items_as_each_other():
    # In order: 4, 1, 6 | 2, 0 | 5, 3
    assert percentiles(COUNTS, KEYS, 3).tolist() == [1, 0, 1, 2, 0, 2, 0]


def test_the_items_of_movielens_1m_make_tenths_of_370_or_371():
    sizes = np.bincount(percentiles(np.arange(3706), np.arange(3706), 10))
    assert sorted(sizes.tolist()) == [370] * 4 + [371] * 6


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.data())
def test_groups_are_of_even_size_and_never_hold_a_more_popular_item_than_one_before(counts, data):
    m = data.draw(st.integers(1, len(counts)))
    counts = np.array(counts)
    found = percentiles(counts, np.arange(len(counts)), m)
    sizes = np.bincount(found, minlength=m)
    assert sizes.max() - sizes.min() <= 1
    for group in range(m - 1):
        assert counts[found == group].min() >= counts[found == group + 1].max()


def test_fewer_items_than_groups_are_refused():
    with pytest.raises(DesignError, match="7 items cannot fill 8 percentiles"):
        percentiles(COUNTS, KEYS, 8)
