"""What every test says besides its p-value: mean difference, its interval and its size in standard deviations."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy import special

from recsens.seeds import Stream
from recsens.significance._base import Comparison, SignificanceTest

CONFIDENCE = Field(0.95, gt=0, lt=1, description="level of the confidence interval")


def differences(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a - b per user, rounded to 12 decimals: .5 - .4 and .3 - .2 are two numbers in binary, and one in truth."""
    return np.asarray(np.round(a - b, 12) + 0.0)  # no -0


def effect_size(delta: NDArray[np.float64]) -> float:
    """Return d_z = mean(δ) / s(δ): 0 where all are zero, NaN where they are equal and not zero or fewer than two."""
    if len(delta) >= 2 and np.ptp(delta) > 0:
        return float(delta.mean() / delta.std(ddof=1))
    return 0.0 if len(delta) >= 2 and delta[0] == 0 else float("nan")


def t_interval(delta: NDArray[np.float64], confidence: float) -> tuple[float, float]:
    """Return mean(δ) ± t_q s / √n; of no width where all are equal, NaN for fewer than two users."""
    n = len(delta)
    if n < 2:
        return float("nan"), float("nan")
    if np.ptp(delta) == 0:
        return float(delta[0]), float(delta[0])
    mean, half = delta.mean(), special.stdtrit(n - 1, (1 + confidence) / 2) * delta.std(ddof=1) / np.sqrt(n)
    return float(mean - half), float(mean + half)


def described(delta: NDArray[np.float64], p_value: float, interval: tuple[float, float]) -> Comparison:
    """Put together what is said of the users' differences."""
    n = len(delta)
    mean = float("nan") if n == 0 else float(delta[0] if np.ptp(delta) == 0 else delta.mean())
    return Comparison(mean, *interval, effect=effect_size(delta), p_value=p_value, n_users=n)


class PairedTest(SignificanceTest):
    """A test of the users' differences δ = a - b alone, with the t interval of their mean."""

    confidence: float = CONFIDENCE

    def compare(self, a: NDArray[np.float64], b: NDArray[np.float64], stream: Stream) -> Comparison:
        """Compare over the differences: p is 1 where all are zero, NaN for fewer than two users."""
        delta = differences(a, b)
        interval = t_interval(delta, self.confidence)
        if len(delta) < 2:
            return described(delta, float("nan"), interval)
        return described(delta, self.p_value(delta) if delta.any() else 1.0, interval)

    @abstractmethod
    def p_value(self, delta: NDArray[np.float64]) -> float:
        """Return the two-sided p-value of two differences or more, not all of which are zero."""
