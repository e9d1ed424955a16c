"""The temporal split: nothing in train is later than anything in test."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from approved import refusal
from data.splitting.samples import PEOPLE, letters, n_test, split, timed
from recsens.errors import DesignError
from recsens.testing import from_rows
from recsens.vocabulary import Role

TIMED = timed("""
    0 0 10, 0 1 20, 0 2 30, 0 3 30, 0 4 30
    1 0 5, 1 1 40
    2 0 30
""")
TIME = PEOPLE.timestamp


@given(st.floats(0.01, 0.9))
def test_train_is_not_later_than_test_and_the_cut_is_that_of_the_ratio(ratio):
    is_train = split(f"temporal(ratio={ratio!r})", PEOPLE) == Role.TRAIN
    assert TIME[is_train].max() < TIME[~is_train].min()
    assert is_train.mean() >= ratio - 1 / len(PEOPLE)
    assert (TIME[is_train].max() > TIME).mean() < ratio


@given(st.floats(0.01, 0.99))
def test_counted_exactly_the_share_is_met_and_only_the_second_of_the_cut_is_on_both_sides(ratio):
    is_train = split(f"temporal(ratio={ratio!r},ties=key)", PEOPLE) == Role.TRAIN
    assert is_train.sum() == np.clip(np.floor(ratio * len(PEOPLE)), 1, len(PEOPLE) - 1)
    assert TIME[is_train].max() <= TIME[~is_train].min()


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99), st.sampled_from(["temporal(ties=key,ratio={!r})", "temporal(ratio={!r})"]))
def test_train_sets_are_nested_in_the_ratio(a, b, written):
    low, high = (split(f"per_user(of={written.format(ratio)})", PEOPLE) for ratio in sorted((a, b)))
    assert not ((low == Role.TRAIN) & (high == Role.TEST)).any()


def test_all_of_the_second_of_the_cut_is_on_the_side_of_train():
    # In time: 5, 10, 20, 30, 30, 30, 30, 40; the fourth of eight is at 30.
    assert letters(split("temporal(ratio=.5)", TIMED)) == "......T."
    assert letters(split("temporal(ratio=.4)", TIMED)) == "..TTT.TT"


def test_counted_exactly_one_second_is_ordered_by_user_and_item():
    assert letters(split("temporal(ratio=.5,ties=key)", TIMED)) == "...TT.TT"


def test_the_last_of_every_user_are_tested():
    # User 0: the last ceil(.4 · 5) = 2; user 1: ceil(.4 · 2) = 1; user 2 has one rating, which is their last.
    assert letters(split("per_user(of=temporal(ratio=.6,ties=key))", TIMED)) == "...TT.TT"
    # If the second at the cut goes to train, user 0 has no test rating.
    assert letters(split("per_user(of=temporal(ratio=.6))", TIMED)) == "......TT"


@given(st.floats(0.05, 0.95))
def test_within_each_user_no_train_rating_is_later_than_a_test_rating(ratio):
    roles = split(f"per_user(of=temporal(ratio={ratio!r},ties=key))", PEOPLE)
    counts = np.bincount(PEOPLE.user)
    expected = np.ceil(np.round((1 - ratio) * counts, 6))
    np.testing.assert_array_equal(
        n_test(roles, PEOPLE.user), np.where(counts > 1, np.clip(expected, 1, np.maximum(counts - 1, 1)), counts)
    )
    for user in range(0, PEOPLE.n_users, 17):
        time, role = TIME[PEOPLE.user == user], roles[PEOPLE.user == user]
        assert time[role == Role.TRAIN].max(initial=0) <= time[role == Role.TEST].min(initial=10**9)


@pytest.mark.parametrize("at", ["30", "1970-01-01T00:00:30", "1970-01-01T00:00:30Z", "1970-01-01T01:00:30+01:00"])
def test_a_moment_is_the_first_of_the_test_set(at):
    written = at if at.isdecimal() else f'"{at}"'
    assert letters(split(f"temporal(at={written})", TIMED)) == "..TTT.TT"


def test_a_date_begins_at_midnight_utc():
    data = timed("0 0 946684799, 0 1 946684800, 0 2 946684801")
    assert letters(split("temporal(at=2000-01-01)", data)) == ".TT"


@pytest.mark.parametrize(
    ("spec", "side"), [("temporal(at=1999-01-01)", "test"), ("temporal(at=3)", "train"), ("temporal(ratio=.99)", "test")]
)
def test_an_empty_side_is_refused_and_the_span_of_the_data_told(spec, side):
    data = timed("0 0 10, 0 1 60, 1 1 60")
    with pytest.raises(DesignError) as error:
        split(spec, data)
    assert f"leaves the {side} set empty" in str(error.value)
    assert "from 1970-01-01T00:00:10+00:00 to 1970-01-01T00:01:00+00:00" in str(error.value)


def test_the_unit_of_time_stamps_is_named(approved):
    cases = (
        ([946_684_800_000, 946_771_200_000], "temporal(at=3)"),
        ([2**63 - 1, 2**63 - 1], "temporal"),
        ([-(2**63), 5], "temporal(at=6)"),
    )
    told = {}
    for times, spec in cases:
        data = replace(from_rows([[5, 4]]), timestamp=np.array(times, dtype=np.int64))
        told[f"{spec} of {times}"] = refusal(partial(split, spec, data), DesignError)
    approved(told)


@pytest.mark.parametrize("per_second", [1, 10**3, 10**6, 10**9])
def test_a_date_is_compared_in_the_unit_of_the_data(per_second):
    data = replace(from_rows([[5, 4]]), timestamp=np.array([946_684_800, 946_771_200]) * per_second)
    assert letters(split("temporal(at=2000-01-02)", data)) == ".T"


def test_a_moment_may_be_a_number_in_the_unit_of_the_data():
    data = replace(from_rows([[5, 4]]), timestamp=np.array([946_684_800_000, 946_771_200_000]))
    assert letters(split("temporal(at=946771200000)", data)) == ".T"
