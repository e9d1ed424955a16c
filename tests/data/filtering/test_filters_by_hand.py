"""Each filter on data small enough to be worked out by hand."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from approved import refusal
from data.filtering.filters import kept, pairs
from recsens.errors import DesignError, SpecError
from recsens.files.scale import Scale
from recsens.testing import crowd, from_rows

X = None
# Ratings of users: 3, 2, 1, 2. Of items: 4, 2, 1, 1.
STEPS = from_rows([[5, 3, 1, X], [4, 2, X, X], [3, X, X, X], [2, X, X, 5]])
TIMED = replace(STEPS, timestamp=np.array([0, 10, 20, 30, 40, 50, 86_400, 86_401]))
MILLIS = replace(STEPS, timestamp=np.linspace(956_703_932_000, 1_046_454_590_000, 8).astype(np.int64))


@pytest.mark.parametrize(
    ("spec", "users"),
    [
        ("ratings_per_user", {0, 1, 2, 3}),
        ("ratings_per_user(at_least=2)", {0, 1, 3}),
        ("ratings_per_user(at_most=2)", {1, 2, 3}),
        ("ratings_per_user(at_least=2,at_most=2)", {1, 3}),
    ],
)
def test_users_are_kept_by_their_number_of_ratings(spec, users):
    assert pairs(kept(spec, STEPS)) == [pair for pair in pairs(STEPS) if pair[0] in users]


@pytest.mark.parametrize(
    ("spec", "items"),
    [
        ("ratings_per_item(at_least=2)", {0, 1}),
        ("ratings_per_item(at_most=2)", {1, 2, 3}),
        ("ratings_per_item(at_least=2,at_most=3)", {1}),
    ],
)
def test_items_are_kept_by_their_number_of_ratings(spec, items):
    assert pairs(kept(spec, STEPS)) == [pair for pair in pairs(STEPS) if pair[1] in items]


def test_a_core_goes_on_where_one_pass_would_stop():
    # Items 2 and 3 go, then users 2 and 3 have one rating each and go; what is left is two users with two items.
    assert pairs(kept("k_core(users=2,items=2)", STEPS)) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    # The single pass leaves user 3 with one rating.
    once = kept("ratings_per_item(at_least=2)", kept("ratings_per_user(at_least=2)", STEPS))
    assert pairs(once) == [(0, 0), (0, 1), (1, 0), (1, 1), (3, 0)]


def test_a_chain_of_pairs_falls_as_a_whole_and_a_ring_stands():
    chain = from_rows([[1, 1, X, X], [X, 1, 1, X], [X, X, 1, 1]])
    ring = from_rows([[1, 1, X], [X, 1, 1], [1, X, 1]])
    assert len(kept("k_core(users=2,items=2)", chain)) == 0
    assert len(kept("k_core(users=2,items=2)", ring)) == 6


def test_ratings_outside_the_range_go_and_the_bounds_stay():
    assert kept("rating_range(lowest=2,highest=4)", STEPS).rating.tolist() == [3, 4, 2, 3, 2]
    assert kept("rating_range(lowest=4)", STEPS).rating.tolist() == [5, 4, 5]
    assert len(kept("rating_range", STEPS)) == len(STEPS)


def test_zeros_that_stand_for_no_rating_go():
    data = from_rows([[0, 7], [10, 0]], scale=Scale(0, 10, 1))
    assert pairs(kept("rating_range(lowest=1)", data)) == [(0, 1), (1, 0)]


def test_a_threshold_is_the_same_for_all_or_the_mean_of_each_user():
    assert kept("rating_threshold(at_least=3)", STEPS).rating.tolist() == [5, 3, 4, 3, 5]
    # Means 3, 3, 3, 3.5.
    assert pairs(kept("rating_threshold(at_least=user_mean)", STEPS)) == [(0, 0), (0, 1), (1, 0), (2, 0), (3, 3)]


@pytest.mark.parametrize("step", [0.1, 0.0])
def test_a_rating_equal_to_the_mean_stays_whatever_the_last_bit(step):
    # In floats, .1 + .1 + .1 over 3 is more than .1, and the mean of 3.7, 3.8 and 3.9 is not 3.8.
    data = from_rows([[0.1, 0.1, 0.1], [3.7, 3.8, 3.9], [3.9, 3.8, 3.7]], scale=Scale(0, 5, step))
    assert pairs(kept("rating_threshold", data)) == [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 0), (2, 1)]


def test_positives_have_no_rating():
    positives = kept("binarise", STEPS)
    assert positives.rating is None
    assert positives.values.tolist() == [1, 1, 1]
    assert pairs(positives) == [(0, 0), (1, 0), (3, 3)]
    assert pairs(kept("binarise(at_least=5)", STEPS)) == [(0, 0), (3, 3)]
    # The upper quarter of 0.5 to 5 begins at 3.875, and the next value of the scale is 4.
    assert pairs(kept("binarise", from_rows([[3.5, 4]], scale=Scale(0.5, 5, 0.5)))) == [(0, 1)]


def test_liked_and_not_liked_have_a_scale_of_their_own():
    liked = kept("binarise(at_least=3,below=zero)", STEPS)
    assert pairs(liked) == pairs(STEPS)
    assert liked.rating.tolist() == [1, 1, 0, 1, 0, 1, 0, 1]
    assert liked.scale == Scale(0, 1, 1)
    assert kept("binarise(below=zero)", liked).rating.tolist() == liked.rating.tolist()
    # An item that nobody likes loses no rating.
    assert kept("binarise(at_least=5,below=zero)", from_rows([[1, 4]])).rating.tolist() == [0, 0]


def test_the_short_head_is_dropped():
    # Popularity 4, 2, 1, 1 of 8 ratings.
    assert set(kept("drop_popular", STEPS).item.tolist()) == {1, 2, 3}
    assert set(kept("drop_popular(share=.5)", STEPS).item.tolist()) == {1, 2, 3}
    assert set(kept("drop_popular(share=.51)", STEPS).item.tolist()) == {2, 3}
    assert set(kept("drop_popular(share=.5,of=items)", STEPS).item.tolist()) == {2, 3}
    assert set(kept("drop_popular(share=.49,of=items)", STEPS).item.tolist()) == {1, 2, 3}
    assert len(kept("drop_popular(count=4)", STEPS)) == 0


def test_of_equally_popular_items_the_lower_key_goes_first():
    assert set(kept("drop_popular(count=3)", STEPS).item.tolist()) == {3}
    swapped = replace(STEPS, item_keys=np.array([0, 1, 3, 2]))
    assert set(kept("drop_popular(count=3)", swapped).item.tolist()) == {2}


def test_items_without_ratings_are_no_share_of_the_items():
    left = kept("drop_popular(share=.5,of=items)", from_rows([[1, 1, X, X, X], [1, X, X, X, X]]))
    assert pairs(left) == [(0, 1)]


@pytest.mark.parametrize("share", [0.07, 0.29, 0.57])
def test_a_share_that_is_a_whole_number_is_met_exactly(share):
    data = from_rows([[1] * 100])
    assert len(kept(f"drop_popular(share={share})", data)) == round(100 * (1 - share))
    assert len(kept(f"drop_popular(share={share},of=items)", data)) == round(100 * (1 - share))


def test_a_sample_has_about_its_size():
    data = crowd(400, 300, share=0.3)
    assert len(kept("sample(ratings=.3)", data)) / len(data) == pytest.approx(0.3, abs=0.02)
    users = kept("sample(users=.3)", data)
    assert np.count_nonzero(users.user_counts) / data.n_users == pytest.approx(0.3, abs=0.08)
    assert set(users.user_counts.tolist()) <= {0, *data.user_counts.tolist()}
    both = kept("sample(users=.5,items=.5,ratings=.5)", data)
    assert len(both) / len(data) == pytest.approx(0.125, abs=0.04)
    assert pairs(both) != pairs(kept("sample(users=.5,items=.5,ratings=.5)", data, seed=8))


@pytest.mark.parametrize(
    ("spec", "times"),
    [
        ("time_window", [0, 10, 20, 30, 40, 50, 86_400, 86_401]),
        ("time_window(start=10,end=30)", [10, 20]),
        ("time_window(end=1970-01-02)", [0, 10, 20, 30, 40, 50]),
        ("time_window(start=1970-01-02)", [86_400, 86_401]),
        ('time_window(start="1970-01-02T01:00:01+01:00")', [86_401]),
    ],
)
def test_a_window_begins_with_its_start_and_stops_before_its_end(spec, times):
    assert kept(spec, TIMED).timestamp.tolist() == times


def test_what_the_data_lack_is_named(approved):
    cases = (
        ("time_window(start=10)", STEPS),
        ("time_window(start=2000-01-01)", TIMED),
        ("time_window(end=1970-01-02)", MILLIS),
        ("rating_threshold(at_least=6)", STEPS),
        ("rating_range(highest=.5)", STEPS),
        ("binarise(at_least=5.5)", STEPS),
        ("rating_range(lowest=2)", kept("binarise", STEPS)),
    )
    approved({spec: refusal(partial(kept, spec, data), DesignError) for spec, data in cases})


def test_parameters_that_exclude_each_other_are_refused(approved):
    cases = """
        ratings_per_user(at_least=5,at_most=4)  ratings_per_item(at_least=5,at_most=4)
        rating_range(lowest=4,highest=3)  drop_popular(count=3,of=items)  time_window(start=20,end=20)
        time_window(start=1970-01-02,end=3)  time_window(start=yesterday)  rating_threshold(at_least=item_mean)
    """
    approved({spec: refusal(partial(kept, spec, STEPS), SpecError) for spec in cases.split()})
