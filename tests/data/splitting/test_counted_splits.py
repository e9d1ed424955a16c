"""Splits that put a given number of a user's or item's ratings on one side."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.splitting.samples import PEOPLE, letters, n_test, split, timed
from recsens import plugins
from recsens.errors import DesignError
from recsens.testing import from_rows
from recsens.vocabulary import Role

PER_USER = np.bincount(PEOPLE.user, minlength=PEOPLE.n_users)
PER_ITEM = np.bincount(PEOPLE.item, minlength=PEOPLE.n_items)

TIMED = timed("""
    0 0 30 5, 0 1 10 2, 0 2 20 4, 0 3 30 3
    1 0 50 1, 1 2 40 5
    2 1 70 5
""")
"""User 0 rates items 0 and 3 at the same moment, the last one."""


@given(st.integers(1, 12))
def test_leave_out_tests_n_of_every_user_who_has_more(n):
    np.testing.assert_array_equal(n_test(split(f"leave_out(n={n})", PEOPLE), PEOPLE.user), np.where(n < PER_USER, n, 0))


@pytest.mark.parametrize("which", ["random", "last"])
def test_the_number_held_out_may_differ_by_user(which):
    numbers = np.array([n_test(split(f"leave_out(n=2,up_to=4,which={which})", PEOPLE, repeat=r), PEOPLE.user) for r in range(60)])
    for user, n_ratings in enumerate(PER_USER):
        # A number that leaves nothing to train on holds nothing out.
        drawn = sorted({n if n < n_ratings else 0 for n in (2, 3, 4)})
        assert sorted(set(numbers[:, user].tolist())) == drawn
    # All users with enough ratings have each number equally often.
    enough = numbers[:, PER_USER > 4]
    shares = [(enough == n).mean() for n in (2, 3, 4)]
    assert shares == pytest.approx([1 / 3] * 3, abs=4 * np.sqrt(2 / 9 / enough.size))
    # The ratings are those that the same draw holds out if the number is the same for all.
    drawn, fixed = (split(f"leave_out(n={n},which={which})", PEOPLE) for n in ("2,up_to=4", "4"))
    assert not ((drawn == Role.TEST) & (fixed == Role.TRAIN) & (PER_USER > 4)[PEOPLE.user]).any()


@given(st.integers(1, 12))
def test_given_teaches_n_of_every_user(n):
    np.testing.assert_array_equal(n_test(split(f"given(n={n})", PEOPLE), PEOPLE.user), np.maximum(PER_USER - n, 0))


@given(st.integers(1, 60))
def test_every_item_has_n_ratings_on_the_side_that_is_said(n):
    enough = n < PER_ITEM
    test = n_test(split(f"per_item(n={n},side=test)", PEOPLE), PEOPLE.item)
    np.testing.assert_array_equal(test, np.where(enough, n, 0))
    test = n_test(split(f"per_item(n={n},side=train)", PEOPLE), PEOPLE.item)
    np.testing.assert_array_equal(test, np.where(enough, PER_ITEM - n, 0))


@pytest.mark.parametrize(
    "spec", ["leave_out(n={})", "leave_out(n={},which=last)", "leave_out(n={},which=last,ties=random)", "per_item(n={},side=test)"]
)
def test_test_sets_are_nested_in_n(spec):
    # A user with exactly n + 1 ratings is not tested with n + 1: only the other users are compared.
    groups, counts = (PEOPLE.item, PER_ITEM) if "item" in spec else (PEOPLE.user, PER_USER)
    for n in range(1, 5):
        fewer, more = split(spec.format(n), PEOPLE), split(spec.format(n + 1), PEOPLE)
        assert not ((fewer == Role.TEST) & (more == Role.TRAIN) & (counts > n + 1)[groups]).any()


@pytest.mark.parametrize("spec", ["given(n={})", "given(n={},which=first)", "given(n={},which=first,ties=random)"])
def test_train_sets_are_nested_in_n(spec):
    for n in range(1, 5):
        fewer, more = split(spec.format(n), PEOPLE), split(spec.format(n + 1), PEOPLE)
        assert not ((fewer == Role.TRAIN) & (more == Role.TEST)).any()


def test_the_last_is_held_out_and_of_one_moment_the_higher_item_key():
    assert letters(split("leave_out(which=last)", TIMED)) == "...TT.."
    assert letters(split("leave_out(n=2,which=last)", TIMED)) == "T..T..."


def test_the_first_are_given():
    assert letters(split("given(n=1,which=first)", TIMED)) == "T.TTT.."
    assert letters(split("given(n=3,which=first)", TIMED)) == "...T..."


def test_a_draw_decides_only_between_ratings_of_the_same_time():
    drawn = {letters(split("leave_out(which=last,ties=random)", TIMED, repeat=repeat)) for repeat in range(20)}
    assert drawn == {"T...T..", "...TT.."}
    # The order of user 0's last two ratings does not matter.
    assert {letters(split("leave_out(n=2,which=last,ties=random)", TIMED, repeat=repeat)) for repeat in range(20)} == {"T..T..."}
    drawn = {letters(split("given(n=3,which=first,ties=random)", TIMED, repeat=repeat)) for repeat in range(20)}
    assert drawn == {"T......", "...T..."}


@pytest.mark.parametrize("spec", ["leave_out(n=2,which=last,ties={})", "given(n=4,which=first,ties={})"])
def test_a_draw_moves_only_ratings_of_the_time_at_the_cut(spec):
    coarse = replace(PEOPLE, timestamp=PEOPLE.timestamp // 20)
    by_key, drawn = (split(spec.format(ties), coarse) for ties in ("key", "random"))
    moved = by_key != drawn
    assert moved.any()
    np.testing.assert_array_equal(n_test(by_key, PEOPLE.user), n_test(drawn, PEOPLE.user))
    for user in np.unique(PEOPLE.user[moved]):
        assert len(set(coarse.timestamp[moved & (PEOPLE.user == user)])) == 1
    tied = plugins.build("split", spec.format("key")).facts(coarse, by_key)["users_tied_at_cut"]
    assert len(np.unique(PEOPLE.user[moved])) < tied


@pytest.mark.parametrize("spec", ["leave_out(which=last,ties=random)", "given(n=3,which=first,ties=random)"])
def test_every_rating_of_the_same_time_is_as_likely_to_be_held_out(spec):
    many = from_rows([[3] * 4] * 2000)
    many = replace(many, timestamp=np.zeros(len(many), dtype=np.int64))
    held = np.bincount(many.item[split(spec, many) == Role.TEST], minlength=4)
    assert held.sum() == 2000
    assert (abs(held - 500) < 4 * np.sqrt(2000 * 0.25 * 0.75)).all()


@pytest.mark.parametrize(
    ("spec", "n_tied"),
    [
        ("leave_out(which=last)", 1),
        ("leave_out(which=last,ties=random)", 1),
        ("leave_out(n=2,which=last)", 0),
        # For user 0, only item 0 has a rating of 5.
        ("leave_out(which=last,min_rating=5)", 0),
        ("leave_out(which=last,min_rating=3)", 1),
        ("validated(of=leave_out(which=last),inside=leave_out(which=last))", 1),
        ("given(n=3,which=first)", 1),
        ("given(n=2,which=first)", 0),
    ],
)
def test_the_record_tells_how_many_users_have_a_tie_at_the_cut(spec, n_tied):
    facts = plugins.build("split", spec).facts(TIMED, split(spec, TIMED))
    assert facts == {"users_tied_at_cut": n_tied}


def test_nothing_that_is_drawn_is_tied():
    assert plugins.build("split", "leave_out").facts(TIMED, split("leave_out", TIMED)) == {}


def test_only_ratings_high_enough_are_held_out():
    assert letters(split("leave_out(which=last,min_rating=4)", TIMED)) == "T....T."
    # User 1 has only one such rating, not two.
    assert letters(split("leave_out(n=2,which=last,min_rating=4)", TIMED)) == "T.T...."
    drawn = split("leave_out(min_rating=4)", PEOPLE)
    assert (PEOPLE.rating[drawn == Role.TEST] >= 4).all()


def test_a_rating_that_nobody_gives_and_data_without_ratings_are_refused():
    with pytest.raises(DesignError, match="no rating is at least min_rating = 6"):
        split("leave_out(min_rating=6)", PEOPLE)
    with pytest.raises(DesignError, match="these data have no ratings"):
        split("leave_out(min_rating=4)", replace(PEOPLE, rating=None))


def test_every_rating_of_a_user_is_as_likely_to_be_held_out():
    many = from_rows([[3] * 4] * 2000)
    held = np.bincount(many.item[split("leave_out", many) == Role.TEST])
    assert (abs(held - 500) < 4 * np.sqrt(2000 * 0.25 * 0.75)).all()
