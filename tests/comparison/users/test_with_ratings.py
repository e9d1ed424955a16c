"""WithRatings: who is averaged."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsens import plugins
from recsens.comparison.users import Population
from recsens.comparison.users.with_ratings import WithRatings
from recsens.errors import SpecError

POPULATION = Population(
    train=np.array([0, 1, 1, 5, 9]),
    test=np.array([3, 0, 2, 2, 4]),
    relevant=np.array([1, 0, 0, 2, 1]),
    listed=np.array([9, 9, 0, 9, 0]),
)


@pytest.mark.parametrize(
    ("spec", "admitted"),
    [
        ("with_ratings", [0, 1, 1, 1, 1]),
        ("with_ratings(train=0)", [1, 1, 1, 1, 1]),
        ("with_ratings(train=5)", [0, 0, 0, 1, 1]),
        ("with_ratings(test=1)", [0, 0, 1, 1, 1]),
        ("with_ratings(relevant=1)", [0, 0, 0, 1, 1]),
        ("with_ratings(relevant=2)", [0, 0, 0, 1, 0]),
        ("with_ratings(train=0,relevant=1)", [1, 0, 0, 1, 1]),
        ("with_ratings(train=100)", [0, 0, 0, 0, 0]),
        ("with_ratings(most_train=5)", [0, 1, 1, 1, 0]),
        ("with_ratings(train=5,most_train=5)", [0, 0, 0, 1, 0]),
        ("with_ratings(train=0,most_train=0)", [1, 0, 0, 0, 0]),
        ("with_ratings(most_train=1,test=1)", [0, 0, 1, 0, 0]),
    ],
)
def test_users_within_all_bounds_are_averaged(spec, admitted):
    assert plugins.build("users", spec).admit(POPULATION).tolist() == list(map(bool, admitted))


def test_all_users_are_averaged_where_nothing_is_asked_of_them():
    nobody_known = Population(*[np.zeros(3, dtype=np.int64)] * 4)
    assert plugins.build("users", "with_ratings(train=0)").admit(nobody_known).all()


def test_bounds_that_leave_nobody_are_refused():
    with pytest.raises(SpecError, match="at least 5 and at most 4 train ratings"):
        plugins.build("users", "with_ratings(train=5,most_train=4)")
    with pytest.raises(SpecError, match="most_train = -1"):
        plugins.build("users", "with_ratings(most_train=-1)")


@given(st.integers(0, 10))
def test_newcomers_and_the_others_are_everybody(most):
    newcomers = WithRatings(train=0, most_train=most).admit(POPULATION)
    others = WithRatings(train=most + 1).admit(POPULATION)
    assert (newcomers ^ others).all()


@given(*[st.integers(0, 6)] * 6)
def test_raising_a_minimum_never_admits_anybody(train, test, relevant, more_train, more_test, more_relevant):
    admitted = WithRatings(train=train, test=test, relevant=relevant).admit(POPULATION)
    stricter = WithRatings(train=train + more_train, test=test + more_test, relevant=relevant + more_relevant).admit(POPULATION)
    assert not (stricter & ~admitted).any()


def test_who_has_no_recommendation_is_not_left_out_here():
    # That is decision C4.
    assert WithRatings().admit(POPULATION)[2]
