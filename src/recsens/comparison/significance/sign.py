"""The sign test over users."""

from typing import ClassVar

from scipy import stats

from recsens.arrays import Floats
from recsens.comparison.significance._mean_differences import PairedTest


class Sign(PairedTest):
    """Whether A is better for as many users as B: an exact binomial test with probability 1/2; ties are left out.

    Every user counts equally, whatever the user's weight. The reported difference and interval are those of the mean (weighted if
    users have weights), and not of the numbers of users; they may therefore disagree with p. If all differences are zero, p is 1.
    With fewer than two users, p is NaN.
    """

    source = "Cañamares, Castells & Moffat (2020), section 3.10"
    prose_weights: ClassVar[str] = "In this test, all users count the same, whatever their weights in the mean."

    def prose(self) -> str:
        """Name the test, and say how ties are treated."""
        return (
            "Differences between systems were tested with the two-tailed sign test over users: an exact binomial test without ties."
        )

    def hypothesis(self, statistic: str, differences: str) -> str:
        """State that as many differences are above 0 as below 0."""
        return f"as many of {differences} are above 0 as below, each user counting the same; the mean is not tested"

    def p_value(self, delta: Floats) -> float:
        """Return the probability that the two numbers of users are at least as unequal as observed."""
        better, worse = int((delta > 0).sum()), int((delta < 0).sum())
        return float(stats.binomtest(better, better + worse).pvalue)
