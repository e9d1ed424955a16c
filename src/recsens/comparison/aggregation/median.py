"""Median over users."""

import numpy as np

from recsens.arrays import Floats
from recsens.comparison.aggregation._base import Aggregate, UserMeasures


class Median(Aggregate):
    """The middle of the users' values; for an even number of users, the mean of the two values in the middle.

    Every user counts the same. A median is not a mean over users, so a test compares the users' values unchanged. The tested
    difference is the difference of means. It may have the opposite sign to the difference of medians; a system wins only if both
    have the same sign.
    """

    source = "Cañamares, Castells & Moffat (2020), section 3.8"

    def prose(self) -> str:
        """Name the median."""
        return "The value of a system is the median of the users' values."

    def aggregate(self, scores: UserMeasures) -> Floats:
        """Return the middle value; NaN without users."""
        rows = zip(scores.values, scores.counts, strict=True)
        return np.array([np.median(value[mask]) if mask.any() else np.nan for value, mask in rows])
