"""Users with different weights: weighted means, their intervals and tests, by hand, by enumeration and by simulation."""

import math
from itertools import product

import numpy as np
import pytest

from recsens import plugins
from recsens.comparison.significance._mean_differences import linearise
from recsens.comparison.significance.t import T
from recsens.seeds import Stream

STREAM = Stream.of(0, "tests")
DRAWING = ["randomisation(samples=200)", "bootstrap(samples=200)", "bootstrap(method=shifted,samples=200)", "subsamples(n=5)"]
EVERY = ["t", "t(log=true)", "sign", "wilcoxon", *DRAWING]
OF_THE_MEAN = ["t", "randomisation(samples=200)", "bootstrap(samples=200)", "bootstrap(method=shifted,samples=200)"]


def compare(spec: str, delta: list[float], weights: list[float] | None):
    weighing = None if weights is None else np.array(weights, dtype=float)
    return plugins.build("test", spec).compare(1 + np.array(delta), np.ones(len(delta)), STREAM, weighing)


def test_the_error_of_a_weighted_mean_is_that_of_a_ratio():
    # m = 5/10, w̄ = 10/6; residuals 3 (1 - .5) = 1.5 and -.3 five times: s² = (2.25 + .45) / 5 = .54, standard error sqrt(.09) = .3,
    # t = 1.666667 with 5 degrees of freedom.
    found = compare("t", [1, 0, 0, 0, 0, 0], [5, 1, 1, 1, 1, 1])
    assert (found.difference, found.effect) == pytest.approx((0.5, 0.5 / math.sqrt(0.54)))
    assert found.p_value == pytest.approx(0.156458, abs=5e-7)
    assert (found.low, found.high) == pytest.approx((0.5 - 2.5705818 * 0.3, 0.5 + 2.5705818 * 0.3), abs=1e-6)


@pytest.mark.parametrize("spec", OF_THE_MEAN)
def test_the_same_difference_for_everybody_is_certain_whatever_users_weigh(spec):
    found = compare(spec, [0.1] * 6, [5, 1, 0.25, 2, 2, 2])
    assert (found.difference, found.low, found.high) == pytest.approx((0.1, 0.1, 0.1), abs=1e-15)


@pytest.mark.parametrize("spec", EVERY)
def test_equal_weights_are_none(spec):
    delta = [0.5, -0.1, 0.2, 0.0, 0.3, 0.3]
    assert repr(compare(spec, delta, [2.5] * 6)) == repr(compare(spec, delta, None))


@pytest.mark.parametrize("spec", EVERY)
def test_only_relative_weights_matter(spec):
    delta, weights = [0.5, -0.1, 0.2, 0.0, 0.3, 0.3], [1, 2, 3, 4, 5, 6]
    once, twice = compare(spec, delta, weights), compare(spec, delta, [2 * weight for weight in weights])
    assert (twice.difference, twice.low, twice.high, twice.effect, twice.p_value) == pytest.approx(
        (once.difference, once.low, once.high, once.effect, once.p_value), abs=1e-12
    )


@pytest.mark.parametrize("spec", EVERY)
def test_difference_and_effect_are_those_of_the_weighted_mean(spec):
    delta, weights = np.array([0.5, 0.1, 0.2, 0.0, 0.3]), np.array([1.0, 2, 3, 4, 5])
    if "log" in spec:
        delta = np.log(delta + 1.01) - np.log(1.01)
    mean = (weights * delta).sum() / weights.sum()
    deviation = (weights * (delta - mean) / weights.mean()).std(ddof=1)
    found = compare(spec, [0.5, 0.1, 0.2, 0.0, 0.3], weights.tolist())
    assert (found.difference, found.effect) == pytest.approx((mean, mean / deviation), abs=1e-9)


@pytest.mark.parametrize("spec", ["sign", "wilcoxon"])
def test_tests_of_signs_and_ranks_count_every_user_the_same(spec):
    delta = [0.5, -0.1, 0.2, 0.4, 0.3, 0.6]
    assert compare(spec, delta, [1, 50, 3, 4, 5, 6]).p_value == compare(spec, delta, None).p_value


def test_swapped_users_keep_their_weights():
    # Weighted differences .3, .2 and -.1: of the sums .6, .4, .2 and 0, each twice, four are as far from zero as .4.
    assert compare("randomisation", [0.1, 0.2, -0.1], [3, 1, 1]).p_value == 0.5


@pytest.mark.parametrize("method", ["shifted", "studentised"])
def test_the_bootstrap_approaches_the_share_among_all_resamples(method):
    delta, weights = np.array([0.3, -0.1, 0.0, 0.2, 0.1, 0.0]), np.array([1.0, 2, 4, 1, 3, 2])

    def distance(drawn: list[int], around: float) -> float:
        own, shares = delta[drawn], weights[drawn]
        mean = (shares * own).sum() / shares.sum()
        if method == "shifted":
            return abs(mean - around)
        deviation = (shares * (own - mean) / shares.mean()).std(ddof=1)
        if deviation < 1e-12:
            return math.inf if abs(mean - around) > 1e-12 else 0.0
        return abs(mean - around) / (deviation / math.sqrt(6))

    centre = (weights * delta).sum() / weights.sum()
    observed = distance(list(range(6)), 0.0)
    exact = np.mean([distance(list(drawn), centre) >= observed - 1e-12 for drawn in product(range(6), repeat=6)])
    found = compare(f"bootstrap(method={method},samples=40000)", delta.tolist(), weights.tolist())
    assert found.p_value == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 40000))


def test_pairs_are_compared_with_the_weights_of_their_own_users():
    rng = np.random.default_rng(3)
    values, counts = rng.integers(0, 11, (3, 40)) / 10, rng.random((3, 40)) < 0.8
    weights = rng.integers(1, 9, 40).astype(float)
    for spec in EVERY:
        test = plugins.build("test", spec)
        both = counts[0] & counts[2]
        [found] = test.compare_pairs(values, counts, [(0, 2)], STREAM, weights)
        alone = test.compare(values[0, both], values[2, both], STREAM, weights[both])
        assert (found.difference, found.low, found.effect) == pytest.approx((alone.difference, alone.low, alone.effect), rel=0.2)
        assert found.difference == pytest.approx(alone.difference, abs=1e-12)


def draws(n_samples: int, n_users: int):
    """Draw samples of users whose differences depend on their weights: they are 1/w - .4 on average, for weights of 1 to 4."""
    rng = np.random.default_rng(11)
    weights = rng.choice([1.0, 2, 4], size=(n_samples, n_users), p=[0.5, 0.25, 0.25])
    return weights, 1 / weights + rng.normal(0, 0.3, weights.shape)


TRUE_MEAN = 1 / (0.5 * 1 + 0.25 * 2 + 0.25 * 4)
"""E[w δ] / E[w] with E[w δ] = 1."""


def test_intervals_of_weighted_means_cover_the_true_one_as_often_as_they_say():
    found = [T().compare(delta, np.zeros(80), STREAM, own) for own, delta in zip(*draws(1500, 80), strict=True)]
    covered = np.mean([one.low <= TRUE_MEAN <= one.high for one in found])
    # Two standard errors of the share: .011.
    assert covered == pytest.approx(0.95, abs=0.015)


def test_a_weighted_mean_of_zero_is_rejected_as_often_as_alpha_says():
    found = [T().compare(delta - TRUE_MEAN, np.zeros(80), STREAM, own) for own, delta in zip(*draws(1500, 80), strict=True)]
    assert np.mean([one.p_value < 0.05 for one in found]) == pytest.approx(0.05, abs=0.015)


def test_linearised_differences_have_the_weighted_mean():
    delta, weights = np.array([0.2, -0.4, 0.1]), np.array([1.0, 2, 7])
    assert linearise(delta, weights).mean() == pytest.approx((0.2 - 0.8 + 0.7) / 10)
    assert linearise(delta, None) is delta
