"""Paired two-tailed t-test over users."""

from typing import ClassVar

import numpy as np
from pydantic import Field
from scipy import special

from recsens.arrays import Floats
from recsens.comparison.significance._base import FEWEST_USERS, Comparison
from recsens.comparison.significance._mean_differences import PairedTest, p_without_spread
from recsens.errors import DesignError
from recsens.plugins.prose import number
from recsens.seeds import Stream


class T(PairedTest):
    """t = mean(δ) / (s / √n) with δ = a - b per user, their sample standard deviation s, and n - 1 degrees of freedom.

    With unequal weights, the test is of the weighted mean m = Σ w δ / Σ w: t = m / (s / √n), where s is the standard deviation of
    w_u (δ_u - m) / w̄, the linearised error of a ratio. For a mean over K percentiles (P1R), s is the standard deviation of n Σ_k
    n_uk (δ_uk - m_k) / (K N_k). There, each of a user's n_uk ratings in percentile k is compared with m_k, the mean of the N_k
    ratings in this percentile. With ``log=true``, δ = ln(a + ε) - ln(b + ε), which suits geometric means; the reported difference
    and interval are then those of logarithms, and percentiles do not affect s. If all differences are equal, s is no
    estimate of their spread; p is then that of the randomisation test, 2^(1-n), or 1 if they are zero. With fewer than six users, p
    and the interval are NaN, because t then depends on the assumed normal distribution of δ.
    """

    source = "Cañamares, Castells & Moffat (2020), section 3.10; weighted, Cochran (1977), chapter 6"
    fewest_users = FEWEST_USERS
    also_called = ("t_test", "paired_t", "student")
    weighted = (
        "t = m / (s / √n) with m = Σ_u w_u δ_u / Σ_u w_u, s the sample standard deviation of w_u (δ_u - m) / w̄, "
        "n - 1 degrees of freedom"
    )

    log: bool = Field(default=False, description="whether to compare logarithms, ln(x + ε)")
    epsilon: float = Field(0.01, gt=0, description="ε in the logarithms; no effect without log")
    linearises: ClassVar[bool] = True
    tests_mean: ClassVar[bool] = True

    def prose(self) -> str:
        """Name the test, and say whether it compares values or logarithms."""
        of = f" of ln(x + {number(self.epsilon)})" if self.log else ""
        return f"Differences{of} between systems were tested with a two-tailed paired t-test over users."

    @property
    def by_percentile(self) -> str:
        """Say that each rating is compared with the mean of its percentile; logarithms are compared with their overall mean."""
        if self.log:
            return self.weighted
        return (
            "t = m / (s / √n) with m = Σ_k m_k / K over the K percentiles, s the sample standard deviation of "
            "n Σ_k n_uk (δ_uk - m_k) / (K N_k), n - 1 degrees of freedom"
        )

    def compare(
        self, a: Floats, b: Floats, stream: Stream, weights: Floats | None = None, offsets: Floats | None = None
    ) -> Comparison:
        """Test the mean difference, of the values or of their logarithms, against zero.

        Raises
        ------
        DesignError
            If a value has no logarithm, even with ε added.
        """
        if self.log:
            a, b = self._logarithms(a), self._logarithms(b)
            offsets = None  # the offsets are those of values, not of logarithms
        return super().compare(a, b, stream, weights, offsets)

    def hypothesis(self, statistic: str, differences: str) -> str:
        """Name the mean, of values or of logarithms."""
        return f"{statistic}{f' of ln(x + {self.epsilon:g})' if self.log else ''} is 0"

    def p_value(self, delta: Floats) -> float:
        """Return the probability that t is at least as far from zero as observed."""
        n = len(delta)
        if np.ptp(delta) == 0:
            return p_without_spread(delta)
        t = delta.mean() / (delta.std(ddof=1) / np.sqrt(n))
        return float(2 * special.stdtr(n - 1, -abs(t)))

    def _logarithms(self, values: Floats) -> Floats:
        lowest = values.min(initial=0.0)
        if lowest <= -self.epsilon:
            raise DesignError(
                f"ln(x + {self.epsilon:g}) of a value of {lowest:g} does not exist",
                where=f"test '{self.spec}'",
                allowed=f"metrics whose values are above {-self.epsilon:g}",
                remedy="compare the values themselves with t",
            )
        return np.asarray(np.log(values + self.epsilon))
