"""Two systems' lists with the items that nobody rated: what the difference could be if some of these were relevant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from recsens.arrays import Bools, Floats, Ids, Ints
from recsens.metrics import ByPlace, Judged, MeasuredAt, Metric
from recsens.outcomes._kernels import add_moments, fill_means, fill_stop_variances

_RULES = {"sum": 0, "stop": 1, "precision": 2}


class Rates(NamedTuple):
    """The shares of relevant items among the unrated items that only the first, only the second, and both lists have."""

    only_a: float
    only_b: float
    both: float


def powers(rates: Rates) -> Floats:
    """Return the products of rates of which expected values of a and of b consist, shape (2, 6); see `Completions.terms`."""
    return np.array([[1.0, own, rates.both, own**2, rates.both**2, own * rates.both] for own in rates[:2]])


class CompletionBounds(NamedTuple):
    """The lowest and highest difference a - b of each user over all completions, shape (n_users,), and how loose they may be.

    ``inside_low`` and ``inside_high`` are differences that some completion has; where they equal the bounds, the bounds are exact.
    """

    low: Floats
    high: Floats
    inside_low: Floats
    inside_high: Floats


@dataclass(frozen=True)
class OpenLists:
    """The first n items of each user's list.

    Attributes
    ----------
    gain
        The gain of each judged item, shape (n_users, n); 0 at other places.
    is_unrated
        Whether an item is unrated, shape (n_users, n).
    item
        The items, shape (n_users, n); 0 below the end of a list, and everywhere if only one system's lists are looked at.
    """

    gain: Floats
    is_unrated: Bools
    item: Ids

    @classmethod
    def of(cls, judged: Judged, gain: Floats, item: Ids, starts: Ints, depth: int) -> OpenLists:
        """Arrange lists, whose user u has the items ``item[starts[u]:starts[u + 1]]``, and the gains of judged items by place."""
        place = np.arange(depth)
        own = cls.without_items(judged, gain, np.diff(starts), depth)
        is_listed = place < np.diff(starts)[:, np.newaxis]
        own.item[is_listed] = item[(starts[:-1, np.newaxis] + place)[is_listed]]
        return own

    @classmethod
    def without_items(cls, judged: Judged, gain: Floats, lengths: Ints, depth: int) -> OpenLists:
        """Arrange lists of some lengths of which only the judged items are known."""
        is_listed = np.arange(depth) < lengths[:, np.newaxis]
        gains, is_judged = np.zeros(is_listed.shape), np.zeros(is_listed.shape, dtype=np.bool_)
        near = np.flatnonzero((judged.position > 0) & (judged.position <= depth))
        at = judged.user[near], judged.position[near] - 1
        gains[at], is_judged[at] = gain[near], True
        return cls(gains, is_listed & ~is_judged, np.zeros(is_listed.shape, dtype=np.int32))

    def expected(self, by_place: ByPlace, kind: Ints, own: float, both: float = 0.0) -> Floats:
        """Return each user's expected value, shape (n_users,); for kinds and rates, see `Completions`."""
        found = np.empty(len(self.gain))
        head = _RULES[by_place.rule], by_place.weight, by_place.highest
        fill_means(*head, self.gain, kind, float(own), float(both), found)
        return found * by_place.scale


def expected_values(metric: Metric, judged: Judged, cutoffs: Sequence[int], rate: float) -> Floats:
    """Return users' expected values if unrated items in lists are relevant independently at a rate, shape (n_users, n_cutoffs).

    Divisors and ideals are those of the ratings, so a value may be above 1. With a rate of 1, it is the largest possible value. It
    is NaN if the metric has no `Metric.by_place` for some of the cut-offs; a study then leaves out the metric.
    """
    found = np.full((judged.n_users, len(cutoffs)), np.nan)
    is_known = all(MeasuredAt(metric, cutoff).is_open for cutoff in cutoffs)
    for nth, cutoff in enumerate(cutoffs if is_known else ()):
        if (by_place := metric.by_place(judged, cutoff)) is not None:
            lists = OpenLists.without_items(judged, by_place.gain, judged.listed, cutoff)
            found[:, nth] = lists.expected(by_place, lists.is_unrated.astype(np.int64), rate)
    return found


@dataclass(frozen=True)
class Completions:
    """Two systems' lists for the same users, by a metric whose value follows from gains by place.

    Attributes
    ----------
    by_place
        The metric.
    a, b
        The lists.
    """

    by_place: ByPlace
    a: OpenLists
    b: OpenLists

    @cached_property
    def places(self) -> tuple[Ints, Ints]:
        """The place of each unrated item of one list in the other list, shape (n_users, n); -1 if the other list lacks it."""
        keys = []
        for lists in (self.a, self.b):
            user, place = np.nonzero(lists.is_unrated)
            keys.append((user.astype(np.int64) << 32 | lists.item[user, place], user, place))
        _, in_a, in_b = np.intersect1d(keys[0][0], keys[1][0], assume_unique=True, return_indices=True)
        found = []
        for (_, user, place), own, (_, _, other), its in ((keys[0], in_a, keys[1], in_b), (keys[1], in_b, keys[0], in_a)):
            places = np.full(self.a.gain.shape, -1, dtype=np.int64)
            places[user[own], place[own]] = other[its]
            found.append(places)
        return found[0], found[1]

    @cached_property
    def kinds(self) -> tuple[Ints, Ints]:
        """For each place of both lists, 0 without an unrated item, 1 if only this list has the item, and 2 if both have it."""
        sides = zip((self.a, self.b), self.places, strict=True)
        first, second = (np.where(own.is_unrated, 1 + (place >= 0), 0).astype(np.int64) for own, place in sides)
        return first, second

    def numbers(self) -> Floats:
        """Count each user's unrated items that only a lists, that only b lists, and that both list, shape (3, n_users)."""
        first, second = self.kinds
        return np.stack([(first == 1).sum(axis=1), (second == 1).sum(axis=1), (first == 2).sum(axis=1)]).astype(np.float64)

    def expected(self, rates: Rates) -> Floats:
        """Return each user's expected value of a and of b, shape (2, n_users), if items are relevant independently at the rates."""
        sides = zip((self.a, self.b), self.kinds, rates[:2], strict=True)
        return np.stack([lists.expected(self.by_place, kind, own, rates.both) for lists, kind, own in sides])

    @property
    def is_polynomial(self) -> bool:
        """Whether the expected values are few `powers` of the rates."""
        return self.by_place.rule != "stop"

    @cached_property
    def terms(self) -> Floats:
        """The factors of `powers` in each user's expected value of a and of b, shape (2, 6, n_users); not for rules that stop."""
        zero, one, other, first, second, both = (
            self.expected(Rates(own, own, shared)) for own, shared in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1))
        )
        linear, squared = [(one - other) / 2, (first - second) / 2], [(one + other) / 2 - zero, (first + second) / 2 - zero]
        return np.stack([zero, *linear, *squared, both - zero - sum(linear) - sum(squared)], axis=1)

    def variance(self, share: Floats) -> Callable[[Rates], float]:
        """Return the function of rates that is Σ share(u) v(u), where v is the variance of a user's difference over these draws."""
        by_place, lists = self.by_place, (self.a.gain, self.kinds[0], self.places[0], self.b.gain, self.kinds[1])
        share = share * by_place.scale**2
        if not self.is_polynomial:

            def of_stops(rates: Rates) -> float:
                found = np.empty(len(share))
                fill_stop_variances(by_place.weight, by_place.highest, *lists, np.array(rates, dtype=np.float64), found)
                return float(share @ found)

            return of_stops
        alone, paired = np.zeros((3, 4, 4)), np.zeros((3, 3))
        add_moments(by_place.rule == "precision", by_place.weight, by_place.highest, *lists, share, alone, paired)

        def of_products(rates: Rates) -> float:
            factors, spread = np.array([1.0, *rates]), np.array([rate * (1 - rate) for rate in rates]) * by_place.highest**2
            return float(spread @ (factors @ alone @ factors) + spread @ paired @ spread)

        return of_products

    def bounds(self) -> CompletionBounds:
        """Return bounds of each user's difference over all relevance of the unrated items in either list.

        They are exact for sums and, with gains of 0 and 1, for metrics that stop. For precision, and where gains between 0 and 1
        stop, they hold, but both ends need not be reached if the lists share unrated items.
        """
        high, inside_high = self._highest_difference(self.a, self.b, self.places[0])
        low, inside_low = self._highest_difference(self.b, self.a, self.places[1])
        return CompletionBounds(*(each * self.by_place.scale for each in (-low, high, -inside_low, inside_high)))

    def _highest_difference(self, a: OpenLists, b: OpenLists, place: Ints) -> tuple[Floats, Floats]:
        """Return the highest a - b, and a difference that is reached, without the scale."""
        rule, weight, highest = self.by_place.rule, self.by_place.weight, self.by_place.highest
        both, at = a.is_unrated & (place >= 0), np.maximum(place, 0)
        only = a.is_unrated & ~both
        start = self._apply_rule(a.gain) - self._apply_rule(b.gain)
        if rule == "sum":
            rise = highest * np.where(only, weight, np.where(both, np.maximum(weight - weight[at], 0.0), 0.0))
            most = start + rise.sum(axis=1)
            return most, most
        if rule == "stop":
            if highest == 1.0 and not np.any((a.gain % 1.0 != 0) | (b.gain % 1.0 != 0)):
                # The first relevant item alone decides, so one relevant item, or none, is best.
                above = np.cumsum(a.gain, axis=1) > 0
                against = np.maximum(self._apply_rule(b.gain)[:, np.newaxis], np.where(both, weight[at], 0.0))
                chosen = np.where(a.is_unrated & ~above, weight - against, -np.inf)
                most = np.maximum(start, chosen.max(axis=1, initial=-np.inf))
                return most, most
            full, alone = (self._apply_rule(np.where(kept, highest, a.gain)) for kept in (a.is_unrated, only))
            return full - self._apply_rule(b.gain), alone - self._apply_rule(b.gain)
        # Each relevant item adds at most what it adds below all others in a, and at least what it adds alone in b.
        gains = highest * a.is_unrated
        below = [np.cumsum((weight * own.gain)[:, ::-1], axis=1)[:, ::-1] - weight * own.gain for own in (a, b)]
        hits = [np.cumsum(own.gain, axis=1) - own.gain for own in (a, b)]
        rise = weight * (1.0 + hits[0] + np.cumsum(gains, axis=1) - gains) + below[0]
        fall = np.where(both, np.take_along_axis(weight * (1.0 + hits[1]) + below[1], at, axis=1), 0.0)
        chosen = a.is_unrated & (rise > fall)
        most = start + np.where(chosen, rise - fall, 0.0).sum(axis=1)
        taken = np.zeros(b.gain.shape, dtype=np.bool_)
        user, own = np.nonzero(chosen & both)
        taken[user, place[user, own]] = True
        return most, self._apply_rule(np.where(chosen, 1.0, a.gain)) - self._apply_rule(np.where(taken, 1.0, b.gain))

    def _apply_rule(self, gain: Floats) -> Floats:
        """Apply the rule to known gains, shape (n_users, n), without the scale."""
        weight = self.by_place.weight
        if self.by_place.rule == "sum":
            return np.asarray(gain @ weight)
        if self.by_place.rule == "precision":
            return np.asarray((weight * gain * (1.0 + np.cumsum(gain, axis=1) - gain)).sum(axis=1))
        reached = np.cumprod(np.concatenate([np.ones((len(gain), 1)), 1.0 - gain[:, :-1]], axis=1), axis=1)
        return np.asarray((weight * gain * reached).sum(axis=1))

    def ends(self) -> Floats:
        """Return each user's lowest and highest value of a, and of b, shape (2, 2, n_users): none or all unrated are relevant."""
        return np.stack([self.expected(Rates(rate, rate, rate)) for rate in (0.0, 1.0)], axis=1)
