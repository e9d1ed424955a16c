"""Wilcoxon's test: p with ties, worked by hand and compared with SciPy."""

import math

import numpy as np
import pytest
from scipy import stats

from recsens.comparison.significance.wilcoxon import Wilcoxon


def test_with_more_than_thirteen_tied_differences_p_is_the_normal_approximation():
    # All 14 ranks are 7.5: W+ = 75 with mean 52.5 and variance 14 * 15 * 29 / 24 - (14^3 - 14) / 48 = 196.875.
    delta = np.array([1.0] * 10 + [-1.0] * 4)
    assert Wilcoxon().p_value(delta) == pytest.approx(math.erfc(22.5 / math.sqrt(2 * 196.875)), rel=1e-12)


@pytest.mark.parametrize("n", [2, 5, 9, 11])
def test_with_at_most_thirteen_tied_differences_p_counts_all_patterns_of_signs(n: int):
    rng = np.random.default_rng(n)
    for spread in (1, 2, 4):
        delta = rng.integers(1, 1 + spread, n) * rng.choice([-1.0, 1.0], n)
        delta[0] = delta[1]  # At least one tie.
        every_pattern = stats.PermutationMethod(n_resamples=2**n)
        assert Wilcoxon().p_value(delta) == stats.wilcoxon(delta, method=every_pattern).pvalue


def test_with_thirteen_tied_differences_p_is_exact():
    assert Wilcoxon().p_value(np.ones(13)) == 2 / 2**13


def test_zeros_are_left_out_before_ties_are_counted():
    assert Wilcoxon().p_value(np.array([0.0] * 20 + [1.0] * 3)) == 0.25  # 2 of 8 patterns have all signs alike.
