"""WithRatings: who is averaged."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsens import plugins
from recsens.users import Population
from recsens.users.with_ratings import WithRatings

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
    ],
)
def test_users_that_reach_all_minima_are_averaged(spec, admitted):
    assert plugins.build("users", spec).admit(POPULATION).tolist() == list(map(bool, admitted))


@given(*[st.integers(0, 6)] * 6)
def test_raising_a_minimum_never_admits_anybody(train, test, relevant, more_train, more_test, more_relevant):
    admitted = WithRatings(train=train, test=test, relevant=relevant).admit(POPULATION)
    stricter = WithRatings(train=train + more_train, test=test + more_test, relevant=relevant + more_relevant).admit(POPULATION)
    assert not (stricter & ~admitted).any()


def test_who_has_no_recommendation_is_not_left_out_here():
    # That is decision C4.
    assert WithRatings().admit(POPULATION)[2]
