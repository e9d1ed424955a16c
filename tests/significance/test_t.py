"""The paired t-test over users, against published vectors, scipy, and the edges."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from recsens.significance.t import T

A = np.array([0.5, 0.2, 0.0, 0.1, 0.4])
B = np.array([0.4, 0.3, 0.1, 0.1, 0.1])


def test_the_vector_worked_by_hand():
    # differences .1 -.1 -.1 0 .3: mean .04, s = .167332, t = .534522 with 4 degrees of freedom
    found = T().compare(A, B)
    assert found.difference == pytest.approx(0.04, abs=1e-12)
    assert found.p_value == pytest.approx(0.621308, abs=5e-7)
    assert found.n_users == 5
    half = 2.7764451 * 0.16733201 / math.sqrt(5)
    assert (found.low, found.high) == pytest.approx((0.04 - half, 0.04 + half), abs=1e-6)


def test_the_other_way_round_only_the_sign_changes():
    forth, back = T().compare(A, B), T().compare(B, A)
    assert back.p_value == pytest.approx(forth.p_value, abs=1e-15)
    assert (back.difference, back.low, back.high) == pytest.approx((-forth.difference, -forth.high, -forth.low))


@pytest.mark.parametrize("n", [2, 3, 10, 1000])
@pytest.mark.parametrize("shift", [0.0, 0.01, 0.3])
def test_p_values_and_intervals_are_those_of_scipy(n, shift):
    rng = np.random.default_rng(n)
    a, b = rng.integers(0, 11, n) / 10 + shift, rng.integers(0, 11, n) / 10
    expected = stats.ttest_rel(a, b)
    found = T(confidence=0.9).compare(a, b)
    interval = expected.confidence_interval(0.9)
    assert found.p_value == pytest.approx(expected.pvalue, abs=1e-12)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), abs=1e-12)


@given(arrays(float, st.integers(2, 30), elements=st.integers(0, 10).map(lambda k: k / 10)), st.randoms(use_true_random=False))
def test_p_is_a_probability_and_the_interval_tells_the_same(a, shuffle):
    b = a.tolist()
    shuffle.shuffle(b)
    found = T().compare(a, np.array(b))
    assert 0 <= found.p_value <= 1
    assert found.low <= found.difference <= found.high
    if 0 < found.p_value < 1 and abs(found.p_value - 0.05) > 1e-9:
        assert (found.p_value < 0.05) == (not found.low <= 0 <= found.high)


def test_equal_systems_differ_with_certainty_in_nothing():
    found = T().compare(A, A)
    assert (found.difference, found.low, found.high, found.p_value) == (0, 0, 0, 1)


def test_the_same_difference_for_everybody_is_certain():
    # .5 - .4, .4 - .3 and .2 - .1 are three different numbers in binary, and one in truth.
    found = T().compare(np.array([0.5, 0.4, 0.2]), np.array([0.4, 0.3, 0.1]))
    assert (found.difference, found.low, found.high) == pytest.approx((0.1, 0.1, 0.1), abs=1e-15)
    assert found.p_value == 0


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_users_have_no_p_value(n):
    found = T().compare(A[:n], B[:n])
    assert found.n_users == n
    assert math.isnan(found.p_value)
    assert math.isnan(found.low)
    assert found.difference == pytest.approx(0.1) if n else math.isnan(found.difference)


def test_a_wider_interval_for_more_confidence():
    narrow, wide = T(confidence=0.5).compare(A, B), T(confidence=0.999).compare(A, B)
    assert wide.low < narrow.low < narrow.high < wide.high
    assert wide.p_value == narrow.p_value
