"""Splits that wrap another: users with too few train ratings, thinned test sets, percentiles of popularity."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.splitting.samples import PEOPLE, letters, n_test, split, timed
from recsens import plugins
from recsens.errors import DesignError
from recsens.testing import from_rows
from recsens.vocabulary import Role

TIMED = timed("""
    0 0 10, 0 1 20, 0 2 90
    1 0 30, 1 1 91, 1 2 92
    2 2 93
    3 0 40
""")
"""At moment 90, users 0 and 1 have two and one train ratings, user 2 none, user 3 no test rating."""


def test_users_with_too_few_train_ratings_are_gone_altogether():
    assert letters(split("min_train(of=temporal(at=90))", TIMED)) == "..T.TT-."
    assert letters(split("min_train(of=temporal(at=90),n=2)", TIMED)) == "..T-----"


def test_the_record_tells_how_many_users_are_gone():
    built = plugins.build("split", "min_train(of=temporal(at=90),n=2)")
    assert built.facts(TIMED, split(str(built.spec), TIMED)) == {"users_left_out": 3}


@given(st.integers(1, 8))
def test_who_stays_has_enough_train_ratings_and_keeps_the_test_ratings(n):
    plain, left = split("random(ratio=.3)", PEOPLE), split(f"min_train(of=random(ratio=.3),n={n})", PEOPLE)
    n_train = np.bincount(PEOPLE.user[plain == Role.TRAIN], minlength=PEOPLE.n_users)
    stays = (n_train >= n)[PEOPLE.user]
    np.testing.assert_array_equal(left[stays], plain[stays])
    np.testing.assert_array_equal(left[~stays], Role.UNUSED)


# Thinner test sets


@given(st.floats(0.01, 1), st.floats(0.01, 1), st.sampled_from(["ratings", "users", "popularity"]))
def test_thinner_test_sets_are_nested_and_train_stays(a, b, by):
    thin, thick = (split(f"thinned(of=random(ratio=.5),share={share!r},by={by})", PEOPLE) for share in sorted((a, b)))
    plain = split("random(ratio=.5)", PEOPLE)
    assert not ((thin == Role.TEST) & (thick != Role.TEST)).any()
    assert not ((thick == Role.TEST) & (plain != Role.TEST)).any()
    np.testing.assert_array_equal(thin == Role.TRAIN, plain == Role.TRAIN)


def test_all_of_the_test_set_is_kept_unless_said():
    for by in ("ratings", "users", "popularity"):
        np.testing.assert_array_equal(split(f"thinned(of=random,by={by})", PEOPLE), split("random", PEOPLE))


def test_the_share_kept_is_that_of_ratings():
    is_test = split("random(ratio=.2)", PEOPLE) == Role.TEST
    kept = (split("thinned(of=random(ratio=.2),share=.3)", PEOPLE) == Role.TEST).sum() / is_test.sum()
    assert kept == pytest.approx(0.3, abs=4 * np.sqrt(0.21 / is_test.sum()))


@pytest.mark.parametrize("by", ["ratings", "users"])
def test_thinned_twice_draws_twice(by):
    once = split(f"thinned(of=random(ratio=.2),share=.5,by={by})", PEOPLE) == Role.TEST
    twice = split(f"thinned(of=thinned(of=random(ratio=.2),share=.5,by={by}),share=.5,by={by})", PEOPLE) == Role.TEST
    assert not (twice & ~once).any()
    assert twice.sum() / once.sum() == pytest.approx(0.5, abs=0.2)


def test_a_user_keeps_all_test_ratings_or_none():
    plain, thin = split("random(ratio=.5)", PEOPLE), split("thinned(of=random(ratio=.5),share=.4,by=users)", PEOPLE)
    before, after = n_test(plain, PEOPLE.user), n_test(thin, PEOPLE.user)
    assert ((after == before) | (after == 0)).all()
    assert (after > 0).sum() / (before > 0).sum() == pytest.approx(0.4, abs=0.14)


def test_the_head_is_left_out_by_train_popularity():
    # Train counts of the items: 2, 1, 0 (and 3, 2, 2 over all): item 0 goes first, then item 1; one of three from share 2/3 down.
    assert letters(split("temporal(at=35)", TIMED)) == "..T.TTTT"
    assert letters(split("thinned(of=temporal(at=35),share=.7,by=popularity)", TIMED)) == "..T.TTTT"
    assert letters(split("thinned(of=temporal(at=35),share=.6,by=popularity)", TIMED)) == "..T.TTT-"
    assert letters(split("thinned(of=temporal(at=35),share=.3,by=popularity)", TIMED)) == "..T.-TT-"


def test_a_tenth_of_ten_items_is_one_item():
    # 1 - .9 is .09999999999999998.
    ten = from_rows([[3] * 10] * 40)
    assert (n_test(split("thinned(of=random(ratio=.5),share=.9,by=popularity)", ten), ten.item) == 0).sum() == 1


# Percentiles


def test_the_record_tells_items_and_test_ratings_of_each_percentile():
    # Train counts at moment 90: 3, 1, 0; test counts 0, 1, 3. Two groups: items 0 and 1 | item 2.
    built = plugins.build("split", "percentile(of=temporal(at=90),m=2)")
    assert built.facts(TIMED, split(str(built.spec), TIMED)) == {
        "items_of_percentile_1": 2,
        "test_ratings_of_percentile_1": 1,
        "items_of_percentile_2": 1,
        "test_ratings_of_percentile_2": 3,
    }


def test_validation_ratings_count_towards_percentiles():
    built = plugins.build("split", "percentile(of=temporal(at=90),m=2)")
    roles = split(str(built.spec), TIMED)
    validated = np.where((roles == Role.TRAIN) & (TIMED.item == 0), Role.VALIDATION, roles)
    assert built.facts(TIMED, validated) == built.facts(TIMED, roles)


def test_the_facts_of_the_split_within_are_told_as_well():
    built = plugins.build("split", "percentile(of=uniform(sigma=.1),m=2)")
    assert {"zeta", "eta", "items_of_percentile_2"} <= set(built.facts(PEOPLE, split(str(built.spec), PEOPLE)))


def test_more_percentiles_than_items_are_refused():
    built = plugins.build("split", "percentile(of=temporal(at=90),m=4)")
    with pytest.raises(DesignError, match="3 items cannot fill 4 percentiles"):
        built.facts(TIMED, split(str(built.spec), TIMED))
