"""The range of a metric over the possible orders of equal scores, or of all targets."""

from dataclasses import replace
from typing import Any

import numpy as np

from recsens.arrays import Bools, Floats, Ints, equal_scores, places_in_groups
from recsens.metrics import Judged, Metric
from recsens.outcomes.measuring.stored_rankings import Cell, RankedUsers

_ROUNDING = 1e-10
"""Largest difference of equal values, of which one may be an expected value."""


def depends_on_ties(metric: Metric) -> bool:
    """Whether to measure a metric over tie orders: if it reads positions, has a value per user, and extreme orders bound it."""
    return metric.unit == "user" and metric.reads == "positions" and metric.has_range_by_ties


def count_tied(ranked: RankedUsers) -> int:
    """Count the judged items that have the same score as another item in the ranking."""
    assert ranked.tied is not None
    return int(np.count_nonzero((ranked.position > 0) & (ranked.tied > 0)))


def worse_ties_first(ranked: RankedUsers) -> RankedUsers:
    """Put worse items first among items with equal scores; unjudged items are worse than all judged items."""
    assert ranked.above is not None
    assert ranked.tied is not None
    return _at_positions(ranked, ranked.above + ranked.tied + 1 - _count_better(ranked))


def better_ties_first(ranked: RankedUsers) -> RankedUsers:
    """Put better items first among items with equal scores."""
    assert ranked.above is not None
    return _at_positions(ranked, ranked.above + 1 + _count_better(ranked))


def extreme_orders(ranked: RankedUsers) -> tuple[RankedUsers, RankedUsers]:
    """Rank all targets of every user, first with better items first, then with worse items first."""
    assert ranked.is_target is not None
    by_rating = ranked.by_rating
    n_targets = ranked.counts["targets"][ranked.user] if by_rating is None else by_rating.targets
    unordered = replace(
        ranked,
        position=ranked.is_target.astype(np.int64),
        above=np.zeros(len(ranked.user), dtype=np.int64),
        tied=n_targets - 1,
        counts={**ranked.counts, "scored": ranked.counts["targets"]},
        by_rating=None if by_rating is None else replace(by_rating, ranked=by_rating.targets),
    )
    return better_ties_first(unordered), worse_ties_first(unordered)


class SettledUsers:
    """Find the users for whom every order of their targets has the same value; computed once for all rankings of these targets."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], Bools] = {}
        self._last: tuple[Any, tuple[Judged, Judged]] | None = None

    def of(
        self, metric: Metric, cutoffs: tuple[int, ...], cell: Cell, ranked: RankedUsers, expected: Floats | None = None
    ) -> Bools:
        """Return whether a user's best and worst value are equal, or undefined, shape (n_groups, n_users, n_cutoffs).

        If the values ``expected`` of a random order are known, shape (n_rankings, n_cutoffs), the worst order is not measured: the
        expected value is the best one only if all orders have it.
        """
        key = ranked.targets_digest, cell.view, cell.relevance
        if (key, metric.printed, cutoffs) not in self._known:
            if self._last is None or self._last[0] != key:
                best, worst = (each.judged(cell.view, cell.relevance) for each in extreme_orders(ranked))
                self._last = key, (best, worst)
            best, worst = self._last[1]
            lowest = metric.measure(worst, cutoffs) if expected is None else expected
            gap = ranked.grouped(np.abs(metric.measure(best, cutoffs) - lowest))
            # The expected value is a sum over many orders, whose rounding errors add up.
            self._known[key, metric.printed, cutoffs] = ~(gap > _ROUNDING)
        return self._known[key, metric.printed, cutoffs]


def _at_positions(ranked: RankedUsers, position: Ints) -> RankedUsers:
    return replace(ranked, position=np.where(ranked.position > 0, position, 0))


def _count_better(ranked: RankedUsers) -> Ints:
    """For each judged item, count those with the same score and a better rating, or an equal rating and an earlier row."""
    better = np.zeros(len(ranked.user), dtype=np.int64)
    if ranked.by_rating is not None:
        # Under 1R, a ranking has no other judged item.
        return better
    assert ranked.above is not None
    assert ranked.tied is not None
    rows = np.flatnonzero((ranked.position > 0) & (ranked.tied > 0))
    better[rows] = places_in_groups(equal_scores(ranked.user[rows], ranked.above[rows]), -np.nan_to_num(ranked.rating[rows]))
    return better
