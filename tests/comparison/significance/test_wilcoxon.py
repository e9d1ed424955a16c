"""Wilcoxon's test: p with ties, worked by hand."""

import math

import numpy as np
import pytest

from recsens.comparison.significance.wilcoxon import Wilcoxon


def test_with_more_than_thirteen_tied_differences_p_is_the_normal_approximation():
    # All 14 ranks are 7.5: W+ = 75 with mean 52.5 and variance 14 * 15 * 29 / 24 - (14^3 - 14) / 48 = 196.875.
    delta = np.array([1.0] * 10 + [-1.0] * 4)
    assert Wilcoxon().p_value(delta) == pytest.approx(math.erfc(22.5 / math.sqrt(2 * 196.875)), rel=1e-12)
