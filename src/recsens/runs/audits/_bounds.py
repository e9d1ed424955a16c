"""Bounds of values that cut lists do not determine.

Every order of the items below a list leads to a value within the bounds, if the system can score every item.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import special

from recsens.comparison.significance import FEWEST_USERS
from recsens.comparison.users import Users
from recsens.metrics import MeasuredAt
from recsens.outcomes.measuring.stored_rankings import RankedUsers, population_of
from recsens.study.margin import Margin
from recsens.vocabulary import View

Floats = NDArray[np.float64]

HOLDS, AHEAD, OPEN = "wins whatever lies below", "is ahead whatever lies below", "cannot be told"
"""The verdicts: in every order below both lists, the difference is significant, or only has the same sign; or neither is true."""

_STEPS = 400
"""Number of values of R to try in `is_significant`. Every R gives a valid bound; with more values, the best bound is tighter."""


@dataclass(frozen=True)
class BoundedValue:
    """A run's mean on a metric: at least ``low`` and at most ``high``."""

    metric: str
    view: View
    system: str
    low: float
    high: float


@dataclass(frozen=True)
class BoundedVerdict:
    """The verdict on a pair of runs for every order below their lists.

    Attributes
    ----------
    metric, view
        The metric and the view.
    system_a, system_b
        The runs.
    low, high
        Bounds of the mean difference a - b over the users that both runs admit; NaN if they admit no user in common.
    winner
        The run that is ahead in every order below the lists; empty if neither run is.
    verdict
        One of three: the winner wins in every order; it is only ahead in every order; or no run is ahead in every order.
    """

    metric: str
    view: View
    system_a: str
    system_b: str
    low: float
    high: float
    winner: str
    verdict: str


@dataclass(frozen=True)
class Ends:
    """The lowest and highest possible value of each user on each fold, and the bounds of the run's own mean over users and folds.

    The values have shape (n_folds, n_users); they are NaN for users whom the run does not admit on the fold.
    """

    low: Floats
    high: Floats
    lowest: float
    highest: float


def completed(ranked: RankedUsers, *, best: bool) -> RankedUsers:
    """Continue the lists to rankings of all targets; the judged items that a list lacks come first below it (``best``) or last.

    The best order puts these items directly below the list, by falling rating. The worst order puts them at the very end, by rising
    rating. If a metric never falls when a better item moves up, its value for any order lies between its values for these two
    orders. Users without a list still have none. The system is assumed to be able to score every item: an item that it cannot score
    is never ranked, and can have a lower value than at the very end.
    """
    listed, targets = ranked.counts["scored"], ranked.counts["targets"]
    assert ranked.is_target is not None
    below = np.flatnonzero((ranked.position == 0) & ranked.is_target & (listed[ranked.user] > 0))
    user, rating = ranked.user[below], ranked.rating[below]
    order = np.lexsort((-rating if best else rating, user))
    users = user[order]
    number = np.bincount(users, minlength=len(listed))
    place = np.arange(len(users)) - np.searchsorted(users, users) + 1
    position = ranked.position.copy()
    position[below[order]] = (listed[users] if best else targets[users] - number[users]) + place
    full = np.where(listed > 0, targets, 0)
    return replace(ranked, position=position, counts={**ranked.counts, "scored": full})


def bounded(
    rankings: Mapping[str, Sequence[RankedUsers]],
    asked: Sequence[tuple[MeasuredAt, View]],
    *,
    users: Users,
    relevance: float | None,
    cut: Collection[str],
) -> dict[tuple[MeasuredAt, View], dict[str, Ends]]:
    """Return, by metric and view, the bounds of each run's value for every user on every fold.

    A run has one ranking per fold. Runs can admit different users: a user without a list may have no value. Only the lists of cut
    runs are continued, as if the system could score every item; the other runs have no scores for the items that they do not rank.

    Of the base design, the bounds use the decisions behind the rankings, the averaged users and the relevance threshold. They do
    not use its view, coverage, aggregate, test and correction: each metric has its own view, users without a list count with the
    metric's value of an empty list, means are over users and then over folds, and verdicts use an uncorrected paired t test.
    """
    ends: dict[tuple[MeasuredAt, View], dict[str, Ends]] = {each: {} for each in asked}
    for system, folds in rankings.items():
        for measured, view in asked:
            low, high = (
                np.stack(
                    [
                        _user_values(completed(ranked, best=best) if system in cut else ranked, measured, view, users, relevance)
                        for ranked in folds
                    ]
                )
                for best in (False, True)
            )
            ends[measured, view][system] = Ends(low, high, *(_mean_of_folds(end, ~np.isnan(low)) for end in (low, high)))
    return ends


def _user_values(ranked: RankedUsers, measured: MeasuredAt, view: View, users: Users, relevance: float | None) -> Floats:
    """Return the value of each user, shape (n_users,); NaN for users who are not averaged."""
    judged = ranked.judged(view, relevance)
    values = np.asarray(measured.metric.measure(judged, (measured.cutoff,))[:, 0])
    return np.where(users.admit(population_of(ranked, judged)), values, np.nan)


def values_of(ends: Mapping[tuple[MeasuredAt, View], Mapping[str, Ends]]) -> Iterator[BoundedValue]:
    """Yield the bounds of every mean."""
    for (measured, view), of_systems in ends.items():
        for system, own in of_systems.items():
            yield BoundedValue(measured.written, view, system, own.lowest, own.highest)


def verdicts_of(
    ends: Mapping[tuple[MeasuredAt, View], Mapping[str, Ends]], pairs: Sequence[tuple[str, str]], alpha: float, margin: Margin
) -> Iterator[BoundedVerdict]:
    """Yield the verdict on every pair; the order below one run's lists does not restrict the order below the other run's lists.

    Differences are over the users whom both runs admit. As in comparisons without bounds, the difference of two runs is the mean of
    the folds' differences, and the test compares each user's mean over the folds.
    """
    for (measured, view), of_systems in ends.items():
        for a, b in pairs:
            first, second = _shared_values(of_systems[a], of_systems[b])
            if not first.low.size:
                yield BoundedVerdict(measured.written, view, a, b, np.nan, np.nan, "", OPEN)
                continue
            low, high = first.lowest - second.highest, first.highest - second.lowest
            least = float(margin.beside([max(first.highest, second.highest)])[0])
            winner, verdict = "", OPEN
            sides = (
                (a, low, first.low - second.high, first.high - second.low),
                (b, -high, second.low - first.high, second.high - first.low),
            )
            for system, lead, from_, to in sides:
                if lead > 0:
                    winner = system
                    verdict = HOLDS if is_significant(from_ - least, to - least, alpha) else AHEAD
            yield BoundedVerdict(measured.written, view, a, b, low, high, winner, verdict)


def _shared_values(first: Ends, second: Ends) -> tuple[Ends, Ends]:
    """Return the values of two runs for the users whom both admit, shape (n,): means over the folds on which both do.

    The bounds of the runs' means are means over the folds, like the runs' values.
    """
    is_shared = ~np.isnan(first.low) & ~np.isnan(second.low)
    admitted = is_shared.any(axis=0)
    of_both = []
    for ends in (first, second):
        low, high = (np.mean(end[:, admitted], axis=0, where=is_shared[:, admitted]) for end in (ends.low, ends.high))
        of_both.append(Ends(low, high, *(_mean_of_folds(end, is_shared) for end in (ends.low, ends.high))))
    return of_both[0], of_both[1]


def _mean_of_folds(end: Floats, is_averaged: NDArray[np.bool_]) -> float:
    """Return the mean of the folds' means; NaN if no user is averaged."""
    of_folds = [own[has].mean() for own, has in zip(end, is_averaged, strict=True) if has.any()]
    return float(np.mean(of_folds)) if of_folds else np.nan


def is_significant(low: Floats, high: Floats, alpha: float) -> bool:
    """Whether a paired t test finds the mean significantly above 0 for every choice of the n differences within their bounds.

    With S the sum and Q the sum of squares of the differences, t > c is S > κ √Q, κ = c √(n / (n - 1 + c²)). Since √Q <= (Q / R +
    R) / 2 for every R > 0, S - κ √Q is at least Σ min(d - κ d² / 2R) - κ R / 2, where each minimum is at an end. If this bound is
    above 0 for some R, t > c for every choice. The reverse need not hold. If all differences are equal, p is 2^(1-n), which must be
    below α too.
    """
    n = len(low)
    if n < FEWEST_USERS or 2.0 ** (1 - n) >= alpha:
        return False
    c = float(special.stdtrit(n - 1, 1 - alpha / 2))
    kappa = c * np.sqrt(n / (n - 1 + c * c))
    longest = float(np.sqrt(np.maximum(low * low, high * high).sum()))
    if longest == 0:
        return False
    for length in np.geomspace(longest / 1000, longest, _STEPS):
        slope = kappa / (2 * length)
        least = np.minimum(low - slope * low * low, high - slope * high * high)
        if least.sum() - kappa * length / 2 > 0:
            return True
    return False
