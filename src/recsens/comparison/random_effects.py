"""Effects on several data sets, combined: over these data sets, on average over data sets like them, and on a new one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import special

from recsens.arrays import Bools, Floats, Ints

FEWEST_FAMILIES = 3
"""With fewer, nothing is said about other data sets than these."""

_N_QUANTILES = 200
_HALVINGS = 50
_MOST_STEPS = 100
_PRECISION = 1e-14
_CELLS = 2_000_000
_SMALLEST_ERROR = 1e-3
"""An error of zero, as of systems that rank everything alike, would have an infinite weight; it counts as this share of the
largest."""


class Estimates(NamedTuple):
    """Combined effects with their standard errors, ends of intervals and two-sided p-values, each of shape (n,)."""

    value: Floats
    error: Floats
    low: Floats
    high: Floats
    p_value: Floats


@dataclass(frozen=True)
class RandomEffects:
    """n combinations of the effects on J families of data sets: y_j estimates θ_j with error s_j, and θ_j ~ N(μ, τ²).

    Attributes
    ----------
    effects, errors
        Effects and their standard errors, shape (n, J); NaN where an effect is unknown, which leaves the family out.
    confidence
        Level of the intervals.

    References
    ----------
    Bakirov & Székely (2005) and Ibragimov & Müller (2010) for the mean; Paule & Mandel (1982) for τ²; Viechtbauer (2007) for the
    distribution of τ² behind a new data set.
    """

    effects: Floats
    errors: Floats
    confidence: float = 0.95

    @cached_property
    def n_families(self) -> Ints:
        """Number of families with a known effect, shape (n,)."""
        return np.asarray(self._is_known.sum(axis=1), dtype=np.int64)

    @cached_property
    def these(self) -> Estimates:
        """The mean of θ_j over these families, each counting once: error √(Σ s²) / J over users, whatever other data sets hold."""
        n = np.maximum(self.n_families, 1)
        some = self.n_families > 0
        mean = np.where(some, np.where(self._is_known, self.effects, 0.0).sum(axis=1) / n, np.nan)
        error = np.where(some, np.sqrt(np.where(self._is_known, self._squared_errors, 0.0).sum(axis=1)) / n, np.nan)
        half = special.ndtri((1 + self.confidence) / 2) * error
        return Estimates(mean, error, mean - half, mean + half, 2 * special.ndtr(-np.abs(mean) / error))

    @cached_property
    def alike(self) -> Estimates:
        """μ, the mean over data sets like these, with t on J - 1 degrees of freedom; NaN for fewer than `FEWEST_FAMILIES`.

        The mean is that of `these`, and its error S / √J with the standard deviation S of the effects, but at least that of
        `these`. This t-test is valid at 8 % and below for effects of whatever unequal variances, which weights that are estimated
        together with τ² are not.
        """
        with np.errstate(invalid="ignore"):
            centred = np.where(self._is_known, self.effects - self.these.value[:, np.newaxis], 0.0)
            spread = np.sqrt((centred**2).sum(axis=1) / self._degrees_of_freedom)
            error = np.maximum(spread / np.sqrt(self.n_families), self.these.error)
        return self._t_estimates(np.where(np.isnan(self._degrees_of_freedom), np.nan, self.these.value), error)

    def weighted(self, tau2: Floats) -> Estimates:
        """μ by weights w = 1 / (s² + τ²), with Hartung and Knapp's error √(Q(τ²) / ((J - 1) Σ w)), but at least 1 / √Σ w.

        With Paule and Mandel's τ², the error is 1 / √Σ w. Where one family is far more precise than the others, it decides, and the
        interval is too short. ``tau2`` has shape (n,). Source: Hartung & Knapp (2001); Röver, Knapp & Friede (2015) for the bound.
        """
        mean, variance, q, _ = (each[:, 0] for each in self._moments_at(tau2[:, np.newaxis]))
        return self._t_estimates(mean, np.sqrt(variance * np.maximum(q / self._degrees_of_freedom, 1)))

    def _t_estimates(self, mean: Floats, error: Floats) -> Estimates:
        half = special.stdtrit(self._degrees_of_freedom, (1 + self.confidence) / 2) * error
        return Estimates(mean, error, mean - half, mean + half, 2 * special.stdtr(self._degrees_of_freedom, -np.abs(mean) / error))

    @cached_property
    def new(self) -> tuple[Floats, Floats]:
        """The interval of θ on a new data set, two arrays of shape (n,); it contains that of `alike`.

        Given τ², θ is normal with mean m(τ²) = Σ w y / Σ w and variance τ² + 1 / Σ w, where w = 1 / (s² + τ²). τ² has its
        confidence distribution: Q(τ²) = Σ w (y - m)² is χ² with J - 1 degrees of freedom at the true τ², so each quantile of χ²
        belongs to one τ², which is 0 if Q(0) is smaller. Intervals that treat τ² as known can be too short (docs/over-datasets.md).
        """
        low, high = self._compute_in_blocks(RandomEffects._solve_interval)
        return np.minimum(low, self.alike.low), np.maximum(high, self.alike.high)

    @property
    def between(self) -> Floats:
        """The share of the squared error of `alike` that is more than that of `these`, so that more users cannot reduce it."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(1 - (self.these.error / self.alike.error) ** 2)

    @property
    def tau(self) -> Floats:
        """Standard deviation of θ between data sets, shape (n,)."""
        return np.sqrt(self._solve_tau2(self._degrees_of_freedom[:, np.newaxis])[:, 0])

    @property
    def tau_interval(self) -> tuple[Floats, Floats]:
        """The interval of τ by the quantiles of χ², two arrays of shape (n,)."""
        tails = (1 + self.confidence) / 2, (1 - self.confidence) / 2
        low, high = (np.sqrt(self._solve_tau2(_chi2(self._degrees_of_freedom, tail)[:, np.newaxis]))[:, 0] for tail in tails)
        return low, high

    @property
    def p_equal(self) -> Floats:
        """The p-value of the hypothesis that θ is the same on all data sets, by Cochran's Q; shape (n,)."""
        return np.asarray(special.chdtrc(self._degrees_of_freedom, self._moments_at(np.zeros((len(self.effects), 1)))[2][:, 0]))

    @cached_property
    def _is_known(self) -> Bools:
        return np.isfinite(self.effects) & np.isfinite(self.errors)

    @cached_property
    def _squared_errors(self) -> Floats:
        largest = np.max(np.where(self._is_known, self.errors, 0.0), axis=1, keepdims=True, initial=0.0)
        return np.asarray(np.maximum(self.errors, np.maximum(_SMALLEST_ERROR * largest, 1e-12)) ** 2)

    @cached_property
    def _degrees_of_freedom(self) -> Floats:
        return np.where(self.n_families >= FEWEST_FAMILIES, self.n_families - 1.0, np.nan)

    def _moments_at(self, tau2: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return m, 1 / Σ w, Q and the slope -dQ / dτ² for several τ² of each combination, all of shape (n, k)."""
        known, effects = self._is_known[:, np.newaxis], np.where(self._is_known, self.effects, 0.0)[:, np.newaxis]
        weights = np.where(known, 1 / (np.where(known, self._squared_errors[:, np.newaxis], 1.0) + tau2[:, :, np.newaxis]), 0.0)
        total = weights.sum(axis=2)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = (weights * effects).sum(axis=2) / total
            squares = weights * (effects - mean[:, :, np.newaxis]) ** 2
            return mean, 1 / total, squares.sum(axis=2), (weights * squares).sum(axis=2)

    def _solve_tau2(self, asked: Floats) -> Floats:
        """Solve Q(τ²) = ``asked``, shape (n, k); 0 if Q(0) is smaller, and NaN where ``asked`` is.

        Q is Σ z² / (λ + τ²) with some z and λ, so 1 / Q is concave, and Newton's method comes from below without overshooting.
        """
        tau2 = np.where(np.isnan(asked), np.nan, 0.0)
        for _ in range(_MOST_STEPS):
            excess, slope = self._moments_at(tau2)[2:]
            with np.errstate(invalid="ignore", divide="ignore"):
                step = np.where(excess > asked, excess * (excess / asked - 1) / slope, 0.0)
            tau2 = tau2 + step
            if not (step > _PRECISION * tau2).any():
                break
        return tau2

    def _solve_interval(self) -> tuple[Floats, Floats]:
        levels = (np.arange(_N_QUANTILES) + 0.5) / _N_QUANTILES
        tau2 = self._solve_tau2(_chi2(self._degrees_of_freedom[:, np.newaxis], levels))
        mean, variance, *_ = self._moments_at(tau2)
        error = np.sqrt(tau2 + variance)
        low, high = (_mixture_quantile(mean, error, level) for level in ((1 - self.confidence) / 2, (1 + self.confidence) / 2))
        return low, high

    def _compute_in_blocks(self, of_block: Callable[[RandomEffects], tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
        size = max(1, _CELLS // (_N_QUANTILES * self.effects.shape[1]))
        parts = [slice(start, start + size) for start in range(0, len(self.effects), size)]
        found = [of_block(RandomEffects(self.effects[part], self.errors[part], self.confidence)) for part in parts]
        low, high = (np.concatenate([each[end] for each in found] or [np.zeros(0)]) for end in (0, 1))
        return low, high


def _chi2(freedom: Floats, below: Floats | float) -> Floats:
    return np.asarray(special.chdtri(freedom, 1 - np.asarray(below)))


def _mixture_quantile(means: Floats, errors: Floats, level: float) -> Floats:
    """Return a quantile of each equal mixture of normal distributions; means and errors have shape (n, k)."""
    of_each = means + special.ndtri(level) * errors
    low, high = of_each.min(axis=1), of_each.max(axis=1)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        is_above = special.ndtr((middle[:, np.newaxis] - means) / errors).mean(axis=1) > level
        low, high = np.where(is_above, low, middle), np.where(is_above, middle, high)
    return np.asarray((low + high) / 2)
