"""The paired t-test over users: published examples, comparison with scipy, and edge cases."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from recsens.comparison.significance.t import T
from recsens.errors import DesignError
from recsens.seeds import Stream

STREAM = Stream.of(0, "tests")

A = np.array([0.5, 0.2, 0.0, 0.1, 0.4, 0.3])
B = np.array([0.4, 0.3, 0.1, 0.1, 0.1, 0.3])


def test_the_vector_worked_by_hand():
    # differences .1 -.1 -.1 0 .3 0: mean .033333, s = .150555, t = .542326 with 5 degrees of freedom
    found = T().compare(A, B, STREAM)
    assert found.difference == pytest.approx(0.2 / 6, abs=1e-12)
    assert found.p_value == pytest.approx(0.610881, abs=5e-7)
    assert found.n_users == 6
    half = 2.5705818 * 0.15055453 / math.sqrt(6)
    assert (found.low, found.high) == pytest.approx((0.2 / 6 - half, 0.2 / 6 + half), abs=1e-6)


def test_the_other_way_round_only_the_sign_changes():
    forth, back = T().compare(A, B, STREAM), T().compare(B, A, STREAM)
    assert back.p_value == pytest.approx(forth.p_value, abs=1e-15)
    assert (back.difference, back.low, back.high) == pytest.approx((-forth.difference, -forth.high, -forth.low))


@pytest.mark.parametrize("n", [6, 7, 10, 1000])
@pytest.mark.parametrize("shift", [0.0, 0.01, 0.3])
def test_p_values_and_intervals_are_those_of_scipy(n, shift):
    rng = np.random.default_rng(n)
    a, b = rng.integers(0, 11, n) / 10 + shift, rng.integers(0, 11, n) / 10
    expected = stats.ttest_rel(a, b)
    found = T(confidence=0.9).compare(a, b, STREAM)
    interval = expected.confidence_interval(0.9)
    assert found.p_value == pytest.approx(expected.pvalue, abs=1e-12)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), abs=1e-12)


@given(arrays(float, st.integers(6, 30), elements=st.integers(0, 10).map(lambda k: k / 10)), st.randoms(use_true_random=False))
def test_p_is_a_probability_and_the_interval_tells_the_same(a, shuffle):
    b = a.tolist()
    shuffle.shuffle(b)
    found = T().compare(a, np.array(b), STREAM)
    assert 0 <= found.p_value <= 1
    assert found.low <= found.difference <= found.high
    if 0 < found.p_value < 1 and abs(found.p_value - 0.05) > 1e-9:
        assert (found.p_value < 0.05) == (not found.low <= 0 <= found.high)


def test_equal_systems_differ_with_certainty_in_nothing():
    found = T().compare(A, A, STREAM)
    assert (found.difference, found.low, found.high, found.p_value) == (0, 0, 0, 1)


def test_the_same_difference_for_everybody_is_certain():
    # .5 - .4, .4 - .3 and .2 - .1 are three different floating-point numbers, but the same number exactly.
    found = T().compare(np.array([0.5, 0.4, 0.2] * 2), np.array([0.4, 0.3, 0.1] * 2), STREAM)
    assert (found.difference, found.low, found.high) == pytest.approx((0.1, 0.1, 0.1), abs=1e-15)
    assert found.p_value == 2 / 2**6  # all signs agree in two of the 2^6 patterns


@pytest.mark.parametrize("n", [0, 1, 5])
def test_fewer_than_six_users_have_no_p_value(n):
    found = T().compare(A[:n], B[:n], STREAM)
    assert found.n_users == n
    assert math.isnan(found.p_value)
    assert math.isnan(found.low)
    assert found.difference == pytest.approx((A - B)[:n].mean()) if n else math.isnan(found.difference)


def test_a_wider_interval_for_more_confidence():
    narrow, wide = T(confidence=0.5).compare(A, B, STREAM), T(confidence=0.999).compare(A, B, STREAM)
    assert wide.low < narrow.low < narrow.high < wide.high
    assert wide.p_value == narrow.p_value


def test_logarithms_worked_by_hand():
    # ln .51 - ln .41 = .218254, ln .21 - ln .31 = -.389465, ln .01 - ln .11 = -2.397895, 0, ln .41 - ln .11 = 1.315677, 0
    found = T(log=True).compare(A, B, STREAM)
    assert found.difference == pytest.approx((0.218254 - 0.389465 - 2.397895 + 1.315677) / 6, abs=1e-6)
    assert found.p_value == pytest.approx(0.691853, abs=5e-7)
    assert math.copysign(1, found.difference) == -1  # the arithmetic mean is better, the geometric one worse


def test_a_larger_epsilon_brings_zero_nearer():
    small, large = (T(log=True, epsilon=epsilon).compare(A, B, STREAM) for epsilon in (0.01, 1.0))
    assert abs(large.difference) < abs(small.difference)


def test_what_has_no_logarithm_is_refused():
    with pytest.raises(DesignError, match=r"ln\(x \+ 0.01\) of a value of -0.5"):
        T(log=True).compare(A, np.array([0.4, 0.3, -0.5, 0.1, 0.1, 0.3]), STREAM)


def test_the_effect_is_the_mean_in_standard_deviations():
    assert T().compare(A, B, STREAM).effect == pytest.approx(0.2 / 6 / 0.15055453, abs=1e-7)
    assert T().compare(A, A, STREAM).effect == 0
    assert math.isnan(T().compare(np.array([0.5, 0.4]), np.array([0.4, 0.3]), STREAM).effect)
    assert math.isnan(T().compare(A[:1], B[:1], STREAM).effect)
