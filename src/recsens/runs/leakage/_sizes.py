"""The size of a leak: a difference of two means over users, in units of the metric, with its interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

NORMAL = 1.959963984540054
"""The 97.5 % point of the normal distribution."""

LEAST_USERS = 10
"""Least number of users for an interval, and for a test that sums over users."""


@dataclass(frozen=True)
class Inflation:
    """The amount by which a value is too high (too low if negative), with the ends of its interval; NaN if unknown.

    If ``is_bounded``, the ends are guaranteed bounds instead of a 95 % interval.
    """

    estimate: float
    low: float = math.nan
    high: float = math.nan
    is_bounded: bool = False

    @classmethod
    def around(cls, estimate: float, error: float, n_users: int) -> Inflation:
        """Return an estimate with its normal 95 % interval, or without one if it rests on fewer than ten users."""
        reach = NORMAL * error if n_users >= LEAST_USERS else math.nan
        return cls(estimate, estimate - reach, estimate + reach)

    @classmethod
    def exactly(cls, value: float) -> Inflation:
        """Return a difference that is known exactly."""
        return cls(value, value, value, is_bounded=True)

    def at_least(self) -> Inflation:
        """Return the lower end alone, if another cause of the same finding may raise the value by more than is estimated."""
        return Inflation(math.nan, self.low)

    @property
    def ends(self) -> str:
        """What the ends are, in words."""
        if self.is_bounded:
            return "certain bounds"
        return "at least" if math.isnan(self.high) and not math.isnan(self.low) else "95 % interval"

    def spanning(self, other: Inflation) -> Inflation:
        """Return the estimate with its interval extended to cover the interval of another estimate."""
        return replace(self, low=float(np.fmin(self.low, other.low)), high=float(np.fmax(self.high, other.high)))

    def widened(self, chance: float, more: float = 0.0) -> Inflation:
        """Widen the interval: add an independent half-width ``chance`` to both sides, and ``more`` to the upper end."""
        down, up = (math.hypot(end - self.estimate, chance) for end in (self.low, self.high))
        return replace(self, low=self.estimate - down, high=self.estimate + up + more, is_bounded=False)


UNKNOWN = Inflation(math.nan)


@dataclass(frozen=True)
class UserValues:
    """A metric's value for each user of an audit, NaN for users who are not averaged, shape (n_users,)."""

    values: NDArray[np.float64]

    @property
    def is_counted(self) -> NDArray[np.bool_]:
        """Whether each user is averaged, shape (n_users,)."""
        return ~np.isnan(self.values)

    @property
    def n_users(self) -> int:
        """Number of users averaged."""
        return int(np.count_nonzero(self.is_counted))

    @property
    def mean(self) -> float:
        """The mean over the averaged users; NaN if there are none."""
        return float(np.nanmean(self.values)) if self.n_users else math.nan

    def over(self, users: NDArray[np.bool_]) -> UserValues:
        """Return the values of some users, given as a mask of shape (n_users,)."""
        return UserValues(np.where(users, self.values, np.nan))

    def less(self, other: UserValues) -> Inflation:
        """Return the difference of two means, over the same users or different ones."""
        return combined([(1.0, self), (-1.0, other)])


def combined(terms: Sequence[tuple[float, UserValues]]) -> Inflation:
    """Return a weighted sum of means over users, with its interval by the delta method; NaN if a mean covers no user.

    If values differ between the means, the interval rests on the users whose values do, and on no more users than any mean covers.

    User u changes a mean A by c_u (a_u - A) / (n C), where a_u is the user's value, c_u is 1 if u is averaged and 0 otherwise, and
    C is the mean of c_u over the n users.
    """
    counted = np.any([each.is_counted for _, each in terms], axis=0)
    n = int(np.count_nonzero(counted))
    if n < len(("two", "users")) or not all(each.n_users for _, each in terms):
        return UNKNOWN
    values = np.stack([each.values[counted] for _, each in terms])
    n_differing = int(np.count_nonzero((values != values[0]).any(axis=0)))
    moved = np.zeros(n)
    for (weight, each), own in zip(terms, values, strict=True):
        moved += weight * np.where(np.isnan(own), 0.0, own - each.mean) * n / each.n_users
    estimate, error = sum(weight * each.mean for weight, each in terms), float(moved.std(ddof=1)) / math.sqrt(n)
    return Inflation.around(estimate, error, min(n_differing or n, *(each.n_users for _, each in terms)))


def at_least(count: int, expected: float) -> float:
    """Return an upper bound on the probability that a sum of independent events with this expected number is at least ``count``.

    For one event, the bound is the expected number (Markov). For a larger count that exceeds the expected number by one or more, it
    is the tail of a Poisson distribution (Hoeffding 1956; Anderson & Samuels 1967). Otherwise it is 1.
    """
    from scipy.special import pdtrc  # noqa: PLC0415 - not needed to read files

    if count <= 1:
        return min(1.0, expected) if count else 1.0
    return float(pdtrc(count - 1, expected)) if count >= expected + 1 else 1.0


def above(score: float) -> float:
    """Return the probability that a standard normal variable exceeds a score."""
    return 0.5 * math.erfc(score / math.sqrt(2))


DRAWS = 99_999
"""Largest number of draws, so the smallest p-value is 1e-5."""

_ENOUGH = 50
"""Drawing ends at this number of draws that are at least as extreme as the observed value."""

_FIRST, _AT_ONCE = 400, 2_000_000
"""Number of draws in the first block, and largest number of numbers drawn at once."""

_SAME = 1e-9
"""Sums that differ by at most this share are equal; they may have been added up in different orders."""


def share_as_extreme(draw: Callable[[int], NDArray[np.bool_]], n_numbers: int) -> float:
    """Return the p-value of an observed statistic by sequential draws (Besag & Clifford 1991).

    If the 50th draw that is at least as extreme as the observed value is draw l, the p-value is 50/l. If only k < 50 of 99,999
    draws are that extreme, it is (1 + k)/100,000. In both cases, the probability of a p-value of at most x is at most x, if the
    observed value is one more draw from the same distribution. Clear cases need few draws, and strong evidence needs them all.

    Parameters
    ----------
    draw
        Draws a given number of statistics, and returns for each whether it is at least as extreme as the observed one.
    n_numbers
        The number of random numbers that each statistic needs.
    """
    done, extreme, size = 0, 0, _FIRST
    while done < DRAWS:
        is_extreme = draw(min(size, DRAWS - done, max(1, _AT_ONCE // n_numbers)))
        at = np.flatnonzero(is_extreme)
        if extreme + len(at) >= _ENOUGH:
            return _ENOUGH / float(done + at[_ENOUGH - extreme - 1] + 1)
        done, extreme, size = done + len(is_extreme), extreme + len(at), 2 * size
    return (1 + extreme) / (1 + done)


def by_exchange(columns: NDArray[np.float64], rng: np.random.Generator, *, is_two_sided: bool = True) -> float:
    """Return the p-value of the sum of the first column if each row's entries are exchangeable, independently of other rows.

    A draw takes one entry of each row at random. It is compared with the first column by its sum or, if ``is_two_sided``, by the
    distance of its sum from the expected sum.
    """
    n_rows, n_columns = columns.shape
    flat, starts = (columns - columns.mean(axis=1, keepdims=True)).ravel(), np.arange(n_rows) * n_columns
    sided = np.abs if is_two_sided else np.positive
    tolerance = _SAME * float(np.abs(columns).max(initial=0.0)) * n_rows
    observed = float(sided(flat[starts].sum())) - tolerance
    if observed <= 0:
        return 1.0

    def draw(n: int) -> NDArray[np.bool_]:
        return np.asarray(sided(flat[starts + rng.integers(n_columns, size=(n, n_rows))].sum(axis=1)) >= observed)

    return share_as_extreme(draw, n_rows)
