"""The table of data sets, by hand and compared with published figures."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsens.data.datasets import locate, to_interactions
from recsens.data.datasets._statistics import Spread, correlation, describe, gini
from recsens.data.datasets.movielens import MovieLens
from recsens.data.interactions import Interactions
from recsens.files.scale import Scale
from recsens.seeds import Stream


def interactions(user, item, rating=None, timestamp=None, n_users=4, n_items=3):
    return Interactions(
        user=np.array(user, dtype=np.int32),
        item=np.array(item, dtype=np.int32),
        rating=None if rating is None else np.array(rating, dtype=np.float64),
        timestamp=None if timestamp is None else np.array(timestamp, dtype=np.int64),
        user_keys=np.arange(n_users),
        item_keys=np.arange(n_items),
        scale=Scale(),
    )


def test_a_small_data_set_by_hand():
    found = describe(interactions([0, 0, 1, 3], [0, 1, 0, 0], [5, 4, 4, 1], [30, 10, 20, 40]))
    assert (found.users, found.items, found.ratings) == (3, 2, 4)
    assert found.density == 4 / 6
    assert found.gini == 0.5  # counts 1 and 3: (-1 * 1 + 1 * 3) / (1 * 4)
    assert found.per_user == Spread(mean=4 / 3, median=1.0, lowest=1, highest=2)
    assert found.per_item == Spread(mean=2.0, median=2.0, lowest=1, highest=3)
    assert found.mean_rating == 3.5
    assert found.histogram == ((1.0, 1), (4.0, 2), (5.0, 1))
    assert (found.first_time, found.last_time) == (10, 40)


def test_without_ratings_and_times():
    found = describe(interactions([0], [0]))
    assert (found.mean_rating, found.histogram, found.first_time, found.last_time) == (None, (), None, None)
    assert (found.density, found.gini) == (1.0, 0.0)


def test_nothing_at_all():
    found = describe(interactions([], [], [], []))
    assert (found.users, found.items, found.ratings, found.density, found.gini) == (0, 0, 0, 0.0, 0.0)
    assert (found.mean_rating, found.first_time) == (None, None)
    assert found.per_user == Spread(0.0, 0.0, 0, 0)


@pytest.mark.parametrize(
    ("counts", "expected"), [([7, 7, 7], 0.0), ([0, 0, 9], 1.0), ([1, 2, 3], 1 / 3), ([5], 0.0), ([], 0.0), ([0, 0], 0.0)]
)
def test_gini_by_hand(counts, expected):
    assert gini(counts) == pytest.approx(expected, abs=1e-15)


@given(st.lists(st.integers(0, 1000), min_size=2, max_size=30))
def test_gini_is_half_the_relative_mean_difference(counts):
    n, total = len(counts), sum(counts)
    differences = sum(abs(a - b) for a in counts for b in counts)
    assert gini(counts) == pytest.approx(differences / (2 * (n - 1) * total) if total else 0.0)


def test_the_correlation_of_counts_by_hand():
    # Deviations (-1, 0, 1) and (-1, 1, 0): 1 / sqrt(2 * 2).
    assert correlation([1, 2, 3], [0, 2, 1]) == pytest.approx(0.5)


@pytest.mark.parametrize(("counts", "others"), [([], []), ([3], [1]), ([2, 2], [0, 1]), ([1, 2], [1, 1])])
def test_counts_that_are_all_the_same_have_no_correlation(counts, others):
    assert correlation(counts, others) is None


def test_ml_1m_has_the_published_figures(real_data, monkeypatch):
    folder = real_data("ml-1m/ratings.dat").parent
    data_set = MovieLens(release="1m", path=str(folder))
    found = describe(to_interactions(data_set.load(locate(data_set), Stream(0))))
    assert (found.users, found.items, found.ratings) == (6040, 3706, 1_000_209)
    assert round(100 * found.density, 2) == 4.47
    assert round(found.gini, 3) == 0.634
    # Divided by the number of items less one, or by the number of items.
    assert (found.gini, found.gini * 3705 / 3706) == pytest.approx((0.6337, 0.6336), abs=5e-5)
    assert found.per_user.lowest == 20
    assert found.mean_rating == pytest.approx(3.5816, abs=1e-4)
    assert sum(number for _, number in found.histogram) == found.ratings
