"""Wilcoxon's signed-rank test over users."""

from typing import ClassVar, Literal

import numpy as np
from scipy import stats

from recsens.arrays import Floats
from recsens.comparison.significance._mean_differences import PairedTest

_MOST_WITH_TIES = 13
"""Largest number of differences, some of them tied, for which p is exact."""


class Wilcoxon(PairedTest):
    """Whether ranks of |δ| have the same sum for users with δ > 0 as for users with δ < 0; ties get mid-ranks, zeros are left out.

    The test asks whether differences are symmetric about zero, not whether their mean is zero. Every user counts equally, whatever
    the user's weight. p is exact for at most 50 differences without ties, or 13 with ties; for more, it is the normal
    approximation, corrected for ties. The interval is the t interval for the mean difference (weighted if users have weights), and
    not an interval for a median; it may therefore disagree with p. If all differences are zero, p is 1. With fewer than two users,
    p is NaN.
    """

    source = "Wilcoxon (1945); paired by user as in Cañamares, Castells & Moffat (2020), section 3.10"
    also_called = ("signed_rank",)
    prose_weights: ClassVar[str] = "In this test, all users count the same, whatever their weights in the mean."

    def prose(self) -> str:
        """Name the test, and say what happens to zeros."""
        test = "Wilcoxon's two-tailed signed-rank test over users, without differences of zero"
        return f"Differences between systems were tested with {test}."

    def hypothesis(self, statistic: str, differences: str) -> str:
        """State the symmetry that the test examines."""
        return f"{differences} are symmetric about 0, each user counting the same; the mean is not tested"

    def p_value(self, delta: Floats) -> float:
        """Return the probability that the rank sums are at least as far apart as observed."""
        own = delta[delta != 0]
        has_ties = len(np.unique(np.abs(own))) < len(own)
        if has_ties and len(own) <= _MOST_WITH_TIES:
            return _exact_p_value(own)
        # Without this argument, SciPy before 1.13 ignores ties among up to 50 differences.
        method: Literal["approx", "auto"] = "approx" if has_ties else "auto"
        return float(stats.wilcoxon(own, method=method).pvalue)


def _exact_p_value(delta: Floats) -> float:
    """Return twice the smaller share of all patterns of signs whose rank sum is at least, or at most, the observed one.

    SciPy computes the same p, but ranks the differences again for every pattern, which takes half a second.
    """
    # Doubled mid-ranks are whole numbers, so every sum of them has an exact count.
    ranks = np.rint(2 * stats.rankdata(np.abs(delta))).astype(np.int64)
    n_patterns = np.zeros(ranks.sum() + 1, dtype=np.int64)
    n_patterns[0] = 1
    for rank in ranks:
        n_patterns[rank:] = n_patterns[rank:] + n_patterns[:-rank]
    observed = ranks[delta > 0].sum()
    n_extreme = min(n_patterns[observed:].sum(), n_patterns[: observed + 1].sum())
    return float(min(2 * n_extreme / n_patterns.sum(), 1.0))
