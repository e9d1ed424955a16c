"""Arithmetic mean over users."""

from recsens.arrays import Floats
from recsens.comparison.aggregation._base import Aggregate, UserMeasures
from recsens.comparison.aggregation._weighing import weighted_means


class Mean(Aggregate):
    """m = (1/|U|) Σ_u m_u: every user counts the same.

    If each relevant test rating has its own ranking (1R), every rating counts the same: a user's weight is the number of the user's
    ratings.
    """

    source = "Cañamares, Castells & Moffat (2020), section 3.8; Bellogín (2012), eq. 4.1"
    averages_values = True
    also_called = ("average", "arithmetic")
    is_tested = True

    def prose(self) -> str:
        """Name the mean."""
        return "The value of a system is the arithmetic mean of the users' values."

    def aggregate(self, scores: UserMeasures) -> Floats:
        """Average; NaN without users."""
        return weighted_means(scores.values, scores.counts, self.weights(scores))
