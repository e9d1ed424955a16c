"""Paired two-tailed t-test over users."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy import stats

from recsens.significance._base import Comparison, SignificanceTest


class T(SignificanceTest):
    """t = mean(δ) / (s / √n) with δ = a - b per user, s their sample standard deviation, n - 1 degrees of freedom.

    All differences equal: p is 1 if they are zero, else 0 (the limit for vanishing spread). Fewer than two users: NaN.
    """

    source = "Cañamares, Castells & Moffat (2020), section 3.10"

    confidence: float = Field(0.95, gt=0, lt=1, description="level of the confidence interval")

    def compare(self, a: NDArray[np.float64], b: NDArray[np.float64]) -> Comparison:
        """Test the mean difference against zero."""
        # Differences of equal values on a metric's grid must be exactly equal: .5 - .4 is not .3 - .2 in binary.
        delta = np.round(a - b, 12)
        n = len(delta)
        mean = float(delta.mean()) if n else float("nan")
        if n < 2:
            return Comparison(mean, float("nan"), float("nan"), float("nan"), n)
        if np.ptp(delta) == 0:
            return Comparison(mean, mean, mean, float(mean == 0), n)
        result = stats.ttest_1samp(delta, 0.0)
        interval = result.confidence_interval(self.confidence)
        return Comparison(mean, float(interval.low), float(interval.high), float(result.pvalue), n)
