"""Wilcoxon's signed-rank test over users."""

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from recsens.comparison.significance._mean_differences import PairedTest


class Wilcoxon(PairedTest):
    """Whether the ranks of |δ| have the same sum over users served better as over users served worse; mid-ranks, zeros dropped.

    The test asks whether differences are symmetric about zero, not whether their mean is zero. Every user counts equally, whatever
    the user's weight. Exact for at most 50 differences without ties, or 13 with ties; beyond, the normal approximation, corrected
    for ties. The interval is the t interval for the mean difference (weighted if users have weights), not an interval for a median:
    it may disagree with p. All differences zero: p is 1. Fewer than two users: NaN.
    """

    source = "Wilcoxon (1945); paired by user as in Cañamares, Castells & Moffat (2020), section 3.10"
    also_called = ("signed_rank",)

    def prose(self) -> str:
        """Name the test and its zeros."""
        test = "Wilcoxon's two-tailed signed-rank test over users, differences of zero dropped"
        return f"Differences between systems were tested by {test}."

    @property
    def prose_weights(self) -> str:
        """User weights have no effect."""
        return "In this test every user counts the same, whatever the weight."

    def hypothesis(self, statistic: str, differences: str) -> str:
        """Name the symmetry that the test assumes."""
        return f"{differences} are symmetric about 0, each user counting the same; the mean is not tested"

    def p_value(self, delta: NDArray[np.float64]) -> float:
        """Return the probability that the rank sums are at least as far apart."""
        return float(stats.wilcoxon(delta[delta != 0]).pvalue)
