"""How far a verdict can be pushed by what nobody rated: bounds, tipping rates and tipping ratios of a comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from scipy import optimize, special

from recsens.arrays import Bools, Floats
from recsens.comparison.significance import FEWEST_USERS
from recsens.outcomes.completions import Completions, Rates, powers
from recsens.outcomes.paired import Paired
from recsens.outcomes.shared_panels import UserRows
from recsens.study.margin import Margin

GRID = np.linspace(0.0, 1.0, 11)
"""Rates at which curves are computed, and between which roots are searched."""

_EXACT = 1e-13


class TippingPoint(NamedTuple):
    """The smallest rates or ratios at which the lead changes, and at which its significance is lost; infinite if none does."""

    level: float
    lost: float


class At(NamedTuple):
    """A comparison at some rates: the mean values of both systems, the standard error of their difference, and its lead.

    ``slack`` is how far the difference is from no longer being a win; it is positive for a win.
    """

    a: float
    b: float
    error: float
    slack: float

    @property
    def difference(self) -> float:
        """The mean difference a - b."""
        return self.a - self.b


class DifferenceBounds(NamedTuple):
    """Bounds of a mean difference over all completions, and of its interval over users too; ``loose`` is their largest excess."""

    lowest: float
    highest: float
    interval_low: float
    interval_high: float
    loose: float


@dataclass(frozen=True)
class OpenComparison:
    """Two systems' lists on all folds, with the users whom a comparison counts and their weights.

    The comparison is a paired t-test of the mean over users, as in `recsens.comparison.significance.t.T`, without a correction for
    other pairs. Items that are not rated on several folds count anew on each of them.

    Attributes
    ----------
    folds
        The lists, fold by fold.
    rows
        The rows of each fold's users among all users.
    paired
        The users that each fold counts, and their weights.
    alpha, margin, confidence
        The rule by which a difference is a win: p < alpha, and an interval of this confidence beyond the margin.
    tests_mean
        Whether the design's test is of the mean; if it is not, nothing is said about significance.
    """

    folds: Sequence[Completions]
    rows: Sequence[UserRows]
    paired: Sequence[Paired]
    alpha: float
    margin: Margin
    confidence: float
    tests_mean: bool = True

    @cached_property
    def _fold_shares(self) -> tuple[Floats, Bools | slice, Floats]:
        """The share of each fold in each counted user's value, who counts, and weights with a mean of 1 over them."""
        n_folds = len(self.folds)
        parts = [
            replace(
                own,
                values=np.repeat(np.eye(n_folds)[:, [fold]], own.counts.shape[1], axis=1),
                counts=np.broadcast_to(own.counts.all(axis=0), (n_folds, own.counts.shape[1])),
                offsets=None,
            )
            for fold, own in enumerate(self.paired)
        ]
        joined = Paired.over_folds(parts)
        counts = np.asarray(joined.counts[0])
        weights = np.ones(counts.sum()) if joined.weights is None else joined.weights[counts]
        return joined.values[:, counts], slice(None) if counts.all() else counts, weights / weights.mean()

    def _join_folds(self, of_folds: Sequence[Floats]) -> Floats:
        """Join users' numbers on all folds, each of shape (..., n_users), with the shares of folds."""
        shares, counts, _ = self._fold_shares
        spread = [rows.spread(values)[..., counts] for rows, values in zip(self.rows, of_folds, strict=True)]
        return np.asarray(sum(share * values for share, values in zip(shares, spread, strict=True)))

    def _mean_over_users(self, of_folds: Sequence[Floats]) -> Floats:
        """Return the weighted mean of users' joined numbers, shape (...)."""
        return np.asarray(self._join_folds(of_folds) @ self._fold_shares[2] / self.n_users)

    def _standard_error(self, difference: Floats, mean: float, of_draws: float = 0.0) -> float:
        """Return the standard error of a weighted mean of users' differences; ``of_draws`` is the draws' variance of their sum."""
        n = self.n_users
        squares = (self._fold_shares[2] * (difference - mean)) ** 2
        # Weighted residuals sum to 0, as those of equal weights do.
        return float(np.sqrt((squares.sum() / max(n - 1, 1) + of_draws / n) / n))

    @cached_property
    def _variances(self) -> list[Callable[[Rates], float]]:
        """The variance over draws of the weighted sum of users' differences, fold by fold."""
        shares, counts, weights = self._fold_shares
        found = []
        for fold, rows, share in zip(self.folds, self.rows, shares, strict=True):
            everyone = np.zeros(self.paired[0].counts.shape[1])
            everyone[counts] = (share * weights) ** 2
            found.append(fold.variance(everyone if rows.rows is None else everyone[rows.rows]))
        return found

    @cached_property
    def _user_terms(self) -> Floats | None:
        """The terms of each counted user's expected values, if these are polynomials of few terms."""
        return self._join_folds([fold.terms for fold in self.folds]) if self.folds[0].is_polynomial else None

    def _user_values(self, rates: Rates) -> Floats:
        """Return each counted user's expected value of a and of b, shape (2, n_users)."""
        if self._user_terms is None:
            return self._join_folds([fold.expected(rates) for fold in self.folds])
        return np.stack([own @ terms for own, terms in zip(powers(rates), self._user_terms, strict=True)])

    @property
    def n_users(self) -> int:
        """The number of users compared."""
        return len(self._fold_shares[2])

    @property
    def is_tested(self) -> bool:
        """Whether there are enough users for the test."""
        return self.tests_mean and self.n_users >= FEWEST_USERS

    def numbers(self) -> Floats:
        """Return the mean number of unrated items of a user that only a lists, that only b lists, and that both list."""
        return self._mean_over_users([fold.numbers() for fold in self.folds])

    def ends(self) -> Floats:
        """Return the lowest and highest mean value of a, and of b, shape (2, 2)."""
        return self._mean_over_users([fold.ends() for fold in self.folds])

    def bounds(self) -> DifferenceBounds:
        """Bound the mean difference; the interval covers the true difference, wherever between the bounds it is.

        The interval is that of Imbens & Manski (2004): [low - c s_low, high + c s_high], where c solves
        Φ(c + (high - low) / max(s_low, s_high)) - Φ(-c) = confidence.
        """
        of_users = self._join_folds([np.stack(fold.bounds()) for fold in self.folds])
        low, high, inside_low, inside_high = (of_users * self._fold_shares[2]).mean(axis=-1)
        errors = [self._standard_error(own, mean) for own, mean in ((of_users[0], low), (of_users[1], high))]
        c = coverage_factor(high - low, max(errors), self.confidence)
        loose = max(inside_low - low, high - inside_high)
        return DifferenceBounds(float(low), float(high), float(low - c * errors[0]), float(high + c * errors[1]), float(loose))

    @cached_property
    def leader(self) -> int:
        """1 if a is ahead as measured, -1 if b is, and 0 if neither is."""
        difference = self._mean_values(Rates(0.0, 0.0, 0.0))
        gap = difference[0] - difference[1]
        return int(np.sign(gap)) if abs(gap) > 1e-12 else 0

    @cached_property
    def measured(self) -> At:
        """The comparison as measured: no unrated item is relevant."""
        return self.at(Rates(0.0, 0.0, 0.0))

    @cached_property
    def is_significant(self) -> bool:
        """Whether the leader wins as measured."""
        return self.is_tested and self.leader != 0 and self.measured.slack > 0

    @cached_property
    def _mean_terms(self) -> Floats | None:
        return None if self._user_terms is None else self._user_terms @ self._fold_shares[2] / self.n_users

    def _mean_values(self, rates: Rates) -> Floats:
        """Return the mean expected value of a and of b."""
        if self._mean_terms is None:
            return np.asarray(self._user_values(rates) @ self._fold_shares[2] / self.n_users)
        return np.asarray((powers(rates) * self._mean_terms).sum(axis=1))

    @cached_property
    def at(self) -> Callable[[Rates], At]:
        """The comparison expected at some rates; the error holds the spread over users and over draws."""
        return cache(self._expected_at)

    def _expected_at(self, rates: Rates) -> At:
        values = self._user_values(rates)
        a, b = (float(each) for each in values @ self._fold_shares[2] / self.n_users)
        error = self._standard_error(values[0] - values[1], a - b, sum(variance(rates) for variance in self._variances))
        lead, n = self.leader * (a - b), self.n_users
        slack = lead - special.stdtrit(n - 1, 1 - self.alpha / 2) * error
        if not self.margin.is_zero:
            beside = float(self.margin.beside([max(a, b)])[0])
            slack = min(slack, lead - special.stdtrit(n - 1, (1 + self.confidence) / 2) * error - beside)
        return At(a, b, error, float(slack))

    def at_common(self, rate: float) -> At:
        """Return the comparison expected if all unrated items are relevant at one rate."""
        return self.at(Rates(rate, rate, rate))

    def rates(self) -> TippingPoint:
        """Return the smallest common rates of all unrated items at which the leader is level, and no longer wins."""
        level = _first_root(lambda rate: self._expected_lead(Rates(rate, rate, rate)))
        return TippingPoint(level, _first_root(lambda rate: self.at_common(rate).slack) if self.is_significant else np.nan)

    def ratios(self, rate: float) -> TippingPoint:
        """Return how many times as often items that only the other system lists must be relevant as all other unrated items.

        Items that the leader lists, alone or not, are relevant at ``rate``. The ratios are those at which the leader is level, and
        no longer wins; 0 if that is so even if no item that only the other system lists is relevant.
        """

        def along(other: float) -> Rates:
            return Rates(rate, other, rate) if self.leader > 0 else Rates(other, rate, rate)

        level = _root_of_falling(lambda other: self._expected_lead(along(other)))
        if not self.is_significant:
            return TippingPoint(level / rate, np.nan)
        # A win is lost before the lead is.
        lost = _root_of_falling(lambda other: self.at(along(other)).slack, min(level, 1.0))
        return TippingPoint(level / rate, min(lost, level) / rate)

    def _expected_lead(self, rates: Rates) -> float:
        a, b = self._mean_values(rates)
        return float(self.leader * (a - b))


def coverage_factor(width: float, error: float, confidence: float) -> float:
    """Return the c with Φ(c + width / error) - Φ(-c) = confidence (Imbens & Manski 2004, eq. 7): 1.96 to 1.64 for 95 %."""
    ratio = width / error if error > 0 else np.inf
    low, high = special.ndtri(confidence), special.ndtri((1 + confidence) / 2)
    if ratio <= 0 or ratio > 40:
        return float(high if ratio <= 0 else low)
    return float(optimize.brentq(lambda c: special.ndtr(c + ratio) - special.ndtr(-c) - confidence, low - 1e-9, high + 1e-9))


def _first_root(function: Callable[[float], float]) -> float:
    """Return the smallest root in a cell of the grid at whose ends the function differs in sign; infinity if there is none."""
    below = next((nth for nth, rate in enumerate(GRID) if function(rate) <= 0), None)
    if below is None or below == 0:
        return np.inf if below is None else 0.0
    return float(optimize.brentq(function, GRID[below - 1], GRID[below], xtol=_EXACT))


def _root_of_falling(function: Callable[[float], float], end: float = 1.0) -> float:
    """Return the root up to some end of a function that falls; 0 if it is negative at 0, infinity if it is positive at the end."""
    if function(0.0) <= 0:
        return 0.0
    return float(optimize.brentq(function, 0.0, end, xtol=_EXACT)) if function(end) < 0 else np.inf
