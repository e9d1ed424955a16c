"""The bootstrap test over users, compared with an enumeration of all resamples."""

import math
from itertools import product

import numpy as np
import pytest

from recsens import plugins
from recsens.seeds import Stream

A = np.array([0.5, 0.2, 0.0, 0.1, 0.4, 0.3])
B = np.array([0.4, 0.3, 0.1, 0.1, 0.1, 0.3])
STREAM = Stream.of(0, "tests")


def every_resample(delta: list[int]):
    """Mean and squared standard error of all n^n resamples of n differences shifted to mean zero, times n, in integers."""
    n = len(delta)
    shifted = [n * value - sum(delta) for value in delta]
    for drawn in product(shifted, repeat=n):
        yield sum(drawn), n * sum(value * value for value in drawn) - sum(drawn) ** 2


def test_shifted_means_approach_the_share_among_all_resamples():
    delta = [1, -1, -1, 0, 3, 0]  # tenths
    exact = np.mean([abs(total) >= 5 * abs(sum(delta)) for total, _ in every_resample(delta)])
    found = plugins.build("test", "bootstrap(method=shifted,samples=40000)").compare(A, B, STREAM)
    assert found.p_value == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 40000))


def test_studentised_means_approach_the_share_among_all_resamples():
    delta = [1, -1, -1, 0, 3, 0]
    n, total = len(delta), sum(delta)
    observed = total**2 / (n * sum(value**2 for value in delta) - total**2)  # t² up to a factor that all share

    def as_far(sum_drawn: int, spread: int) -> bool:
        if spread == 0:
            return sum_drawn != 0
        return sum_drawn**2 / spread >= observed - 1e-12

    exact = np.mean([as_far(*resample) for resample in every_resample(delta)])
    found = plugins.build("test", "bootstrap(samples=40000)").compare(A, B, STREAM)
    assert found.p_value == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 40000))


@pytest.mark.parametrize("method", ["studentised", "shifted"])
def test_many_users_come_close_to_t(method):
    rng = np.random.default_rng(2)
    a = rng.integers(0, 11, 500) / 10
    b = np.clip(a + rng.integers(-2, 3, 500) / 10 + 0.02, 0, 1)
    found = plugins.build("test", f"bootstrap(method={method})").compare(a, b, STREAM)
    t = plugins.build("test", "t").compare(a, b, STREAM)
    assert found.p_value == pytest.approx(t.p_value, abs=0.02)
    assert (found.low, found.high) == pytest.approx((t.low, t.high), abs=0.001)


@pytest.mark.parametrize("method", ["studentised", "shifted"])
@pytest.mark.parametrize("seed", range(10))
def test_p_and_interval_tell_the_same(method, seed):
    rng = np.random.default_rng(seed)
    a, b = rng.random((2, 20))
    found = plugins.build("test", f"bootstrap(method={method},samples=999)").compare(a, b + 0.1, STREAM)
    assert (found.p_value < 0.05) == (not found.low <= 0 <= found.high)


@pytest.mark.parametrize("method", ["studentised", "shifted"])
def test_the_same_difference_for_everybody_is_certain(method):
    found = plugins.build("test", f"bootstrap(method={method})").compare(
        np.array([0.5, 0.4, 0.2] * 2), np.array([0.4, 0.3, 0.1] * 2), STREAM
    )
    assert found.p_value == 2 / 2**6  # all signs agree in two of the 2^6 patterns
    assert (found.low, found.high) == pytest.approx((0.1, 0.1))


def test_resamples_without_spread_leave_t_without_bounds():
    # One of six users differs: it is in no resample with probability (5/6)^6 = .33, and then there is no spread.
    found = plugins.build("test", "bootstrap(samples=500)").compare(np.array([0.3, 0, 0, 0, 0, 0]), np.zeros(6), STREAM)
    assert (found.low, found.high) == (-math.inf, math.inf)


@pytest.mark.parametrize("samples", [9, 99, 999])
def test_a_difference_that_no_resample_reaches_counts_once(samples):
    # The observed differences are one of 1 + B: p = 1 / (1 + B), and 19 resamples are the fewest that can reject at .05.
    a = np.linspace(0.5, 0.6, 40)
    found = plugins.build("test", f"bootstrap(samples={samples})").compare(a, np.zeros(40), STREAM)
    assert found.p_value == pytest.approx(1 / (1 + samples), rel=1e-12)
    assert math.isinf(found.low) == (samples < 19)


def test_more_resamples_contain_the_fewer():
    # The 200 resamples are the first 200 of the 400, so the number that are as far is at most that of the 400, and at least 200
    # less.
    rng = np.random.default_rng(4)
    a, b = rng.random((2, 30))
    few, many = (
        round((1 + size) * plugins.build("test", f"bootstrap(samples={size})").compare(a, b, STREAM).p_value) for size in (200, 400)
    )
    assert many - 200 <= few <= many
