"""The average of the users' values.

mean: Arithmetic mean over users.
median: Median over users.
geometric: Geometric mean over users; ε is added to every value, because otherwise a single zero would make the mean zero.
"""

from typing import ClassVar

import numpy as np
from pydantic import Field

from recsens.arrays import Floats
from recsens.comparison.aggregation._base import Aggregate, UserMeasures
from recsens.comparison.aggregation._weighing import weighted_user_means
from recsens.errors import DesignError
from recsens.plugins.prose import number


class Mean(Aggregate):
    """m = (1/|U|) Σ_u m_u: every user counts the same.

    If each relevant test rating has its own ranking (1R), every rating counts the same: a user's weight is the number of the user's
    ratings.
    """

    label = "mean"
    source = "Cañamares, Castells & Moffat (2020), section 3.8; Bellogín (2012), eq. 4.1"
    averages_values = True
    also_called = ("average", "arithmetic")
    is_tested = True

    def prose(self) -> str:
        """Name the mean."""
        return "The value of a system is the arithmetic mean of the users' values."

    def aggregate(self, scores: UserMeasures) -> Floats:
        """Average; NaN without users."""
        return weighted_user_means(scores.values, scores.counts, self.weights(scores))


class Median(Aggregate):
    """The middle of the users' values; for an even number of users, the mean of the two values in the middle.

    Every user counts the same. A median is not a mean over users, so a test compares the users' values unchanged. The tested
    difference is the difference of means. It may have the opposite sign to the difference of medians; a system wins only if both
    have the same sign.
    """

    label = "median"
    source = "Cañamares, Castells & Moffat (2020), section 3.8"

    def prose(self) -> str:
        """Name the median."""
        return "The value of a system is the median of the users' values."

    def aggregate(self, scores: UserMeasures) -> Floats:
        """Return the middle value; NaN without users."""
        rows = zip(scores.values, scores.counts, strict=True)
        return np.array([np.median(value[mask]) if mask.any() else np.nan for value, mask in rows])


class Geometric(Aggregate):
    """m = exp((1/|U|) Σ_u ln(m_u + ε)) - ε: an improvement counts more if the user's value is smaller.

    Without ε, a single zero would make the mean zero. With ε, the mean is zero only if all values are zero, and it never exceeds
    the arithmetic mean. A test compares ln(m_u + ε). Values of -ε or below, which have no logarithm, are refused.
    """

    label = "geometric"
    source = "Cañamares, Castells & Moffat (2020), section 4.5; Robertson (2006)"
    also_called = ("gmap", "geometric_mean")

    is_tested = True
    wants_zero_and_above: ClassVar[bool] = True

    epsilon: float = Field(0.01, gt=0, description="number added to every value before taking its logarithm")

    def prose(self) -> str:
        """Name the mean, and the number that is added to values."""
        return (
            f"The value of a system is a geometric mean over users: {number(self.epsilon)} is added to each user's value before "
            "averaging, and subtracted from the mean afterwards."
        )

    @property
    def differences(self) -> str:
        """Say that a test compares logarithms."""
        return f"the users' differences of ln(m + {self.epsilon:g})"

    def aggregate(self, scores: UserMeasures) -> Floats:
        """Average the logarithms; NaN without users."""
        self._refuse_small(scores)
        # This equals the formula, but is exactly zero if all values are zero.
        logarithms = np.log1p(np.where(scores.counts, scores.values, 0.0) / self.epsilon)
        return self.epsilon * np.expm1(weighted_user_means(logarithms, scores.counts, self.weights(scores)))

    def tested(self, scores: UserMeasures) -> Floats:
        """Return ln(m + ε); NaN where a user does not count."""
        self._refuse_small(scores)
        return np.where(scores.counts, np.log(np.where(scores.counts, scores.values, 0.0) + self.epsilon), np.nan)

    def _refuse_small(self, scores: UserMeasures) -> None:
        lowest = scores.values.min(initial=np.inf, where=scores.counts)
        if lowest <= -self.epsilon:
            raise DesignError(
                f"a user's value of {lowest:g} has no logarithm after {self.epsilon:g} is added",
                where=f"aggregate '{self.spec}'",
                allowed="metrics whose values are zero and above",
                remedy="aggregate this metric by mean or median",
            )
