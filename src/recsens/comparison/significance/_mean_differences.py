"""The results that every test reports in addition to p: the mean difference, its interval and the effect size."""

from abc import abstractmethod

import numpy as np
from pydantic import Field
from scipy import special

from recsens.arrays import Floats
from recsens.comparison.significance._base import FEWEST_USERS, Comparison, SignificanceTest
from recsens.seeds import Stream

CONFIDENCE = Field(0.95, gt=0, lt=1, description="level of the confidence interval")


def differences(a: Floats, b: Floats) -> Floats:
    """Return a - b per user, rounded to 12 decimals, because .5 - .4 and .3 - .2 are equal but differ in floating point."""
    return np.asarray(np.round(a - b, 12) + 0.0)  # adding 0 turns -0 into 0


def linearise(delta: Floats, weights: Floats | None) -> Floats:
    """Return d_u = m + w_u (δ_u - m) / w̄ with m = Σ w δ / Σ w. The mean of d is m, and s(d) / √n is the standard error of m.

    A weighted mean is the ratio of two sums over the sampled users, both of which vary; to first order, its error is the mean of
    w_u (δ_u - m) / w̄. Under P1R, the offsets are subtracted from δ. Each rating is then compared with the mean of its own
    percentile, and a user's residual is Σ_k n_uk (δ_uk - m_k) / N_k, up to a factor. Percentile k has N_k ratings with a mean
    difference of m_k; n_uk of them are user u's, with a mean difference of δ_uk. With equal weights, or equal differences, d is δ
    itself.

    Parameters
    ----------
    delta
        The users' differences, shape (n_users,).
    weights
        Each user's weight, all above zero, shape (n_users,); None: equal weights.

    References
    ----------
    Cochran (1977), Sampling techniques, chapter 6: the ratio estimate and its approximate variance.
    """
    if weights is None or len(delta) < 2 or np.ptp(weights) == 0 or np.ptp(delta) == 0:
        return delta
    mean = weighted_mean(delta, weights)
    return np.asarray(mean + weights / weights.mean() * (delta - mean))


def weighted_mean(values: Floats, weights: Floats) -> float:
    """Return Σ w x / Σ w; there must be at least one value."""
    return float((weights * values).sum() / weights.sum())


def effect_size(delta: Floats) -> float:
    """Return d_z = mean(δ) / s(δ): 0 if all δ are zero; NaN if all are equal but not zero, or if there are fewer than two."""
    if len(delta) >= 2 and np.ptp(delta) > 0:
        return float(delta.mean() / delta.std(ddof=1))
    return 0.0 if len(delta) >= 2 and delta[0] == 0 else float("nan")


def t_interval(delta: Floats, confidence: float) -> tuple[float, float]:
    """Return mean(δ) ± t_q s / √n; the width is zero if all differences are equal. Both ends are NaN with fewer than six users."""
    n = len(delta)
    if n < FEWEST_USERS:
        return float("nan"), float("nan")
    if np.ptp(delta) == 0:
        return float(delta[0]), float(delta[0])
    mean, half = delta.mean(), special.stdtrit(n - 1, (1 + confidence) / 2) * delta.std(ddof=1) / np.sqrt(n)
    return float(mean - half), float(mean + half)


def p_without_spread(delta: Floats) -> float:
    """Return p of equal differences: 1 if they are zero, else 2^(1-n), the randomisation test's p, which needs no spread."""
    return 2.0 ** (1 - len(delta)) if delta.any() else 1.0


def describe_difference(delta: Floats, p_value: float, interval: tuple[float, float]) -> Comparison:
    """Return a comparison with this p and interval; if users have weights, ``delta`` are linearised differences."""
    n = len(delta)
    mean = float("nan") if n == 0 else float(delta[0] if np.ptp(delta) == 0 else delta.mean())
    error = float(delta.std(ddof=1) / np.sqrt(n)) if n >= 2 else float("nan")
    return Comparison(mean, *interval, effect=effect_size(delta), p_value=p_value, n_users=n, standard_error=error)


class PairedTest(SignificanceTest):
    """A test that depends only on the users' differences δ = a - b.

    The test reports the t interval of the mean difference, weighted if users have weights.

    If the test ``tests_mean``, weights affect p, because linearised differences are tested; otherwise users count equally.
    """

    confidence: float = CONFIDENCE

    def compare(
        self, a: Floats, b: Floats, stream: Stream, weights: Floats | None = None, offsets: Floats | None = None
    ) -> Comparison:
        """Compare the differences: p is 1 if all are zero, and NaN with fewer than ``fewest_users``."""
        delta = differences(a, b)
        own = delta if offsets is None else differences(a - offsets[0], b - offsets[1])
        linear = linearise(own, weights)
        interval = t_interval(linear, self.confidence)
        if len(delta) < self.fewest_users:
            return describe_difference(linear, float("nan"), interval)
        tested = linear if self.tests_mean else delta
        return describe_difference(linear, self.p_value(tested) if tested.any() else 1.0, interval)

    @abstractmethod
    def p_value(self, delta: Floats) -> float:
        """Return the two-sided p-value for two or more differences that are not all zero."""
