"""The sign test over users."""

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from recsens.comparison.significance._mean_differences import PairedTest


class Sign(PairedTest):
    """Whether equally many users are served better and served worse: exact binomial test with probability 1/2, ties dropped.

    Every user counts equally, whatever the user's weight. The difference and interval are for the mean (weighted if users have
    weights), not for the numbers of users: they may disagree with p. All differences zero: p is 1. Fewer than two users: NaN.
    """

    source = "Cañamares, Castells & Moffat (2020), section 3.10"

    def prose(self) -> str:
        """Name the test and its ties."""
        return (
            "Differences between systems were tested by the two-tailed sign test over users: an exact binomial test, ties dropped."
        )

    @property
    def prose_weights(self) -> str:
        """User weights have no effect."""
        return "In this test every user counts the same, whatever the weight."

    def hypothesis(self, statistic: str, differences: str) -> str:
        """Compare the numbers of users."""
        return f"as many of {differences} are above 0 as below, each user counting the same; the mean is not tested"

    def p_value(self, delta: NDArray[np.float64]) -> float:
        """Return the probability that the numbers of users are at least as unequal."""
        better, worse = int((delta > 0).sum()), int((delta < 0).sum())
        return float(stats.binomtest(better, better + worse).pvalue)
