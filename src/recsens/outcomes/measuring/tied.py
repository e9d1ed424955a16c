"""The range of a metric over the possible orders of equal scores."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from recsens.metrics import MeasuredAt
from recsens.outcomes.measuring.stored_rankings import RankedUsers


def depends_on_ties(measured: MeasuredAt) -> bool:
    """Whether to measure a metric over tie orders: if it reads positions, has a value per user, and extreme orders bound it."""
    metric = measured.metric
    return metric.unit == "user" and metric.reads == "positions" and metric.has_range_by_ties


def n_tied(ranked: RankedUsers) -> int:
    """Count the judged items that have the same score as another item in the ranking."""
    assert ranked.tied is not None
    return int(np.count_nonzero((ranked.position > 0) & (ranked.tied > 0)))


def pessimistic(ranked: RankedUsers) -> RankedUsers:
    """Put worse items first among items with equal scores; unjudged items are worse than all judged items."""
    assert ranked.above is not None
    assert ranked.tied is not None
    return _placed(ranked, ranked.above + ranked.tied + 1 - _better(ranked))


def optimistic(ranked: RankedUsers) -> RankedUsers:
    """Put better items first among items with equal scores."""
    assert ranked.above is not None
    return _placed(ranked, ranked.above + 1 + _better(ranked))


def _placed(ranked: RankedUsers, position: NDArray[np.int64]) -> RankedUsers:
    return replace(ranked, position=np.where(ranked.position > 0, position, 0))


def _better(ranked: RankedUsers) -> NDArray[np.int64]:
    """For each judged item, count those with the same score and a better rating, or an equal rating and an earlier row."""
    better = np.zeros(len(ranked.user), dtype=np.int64)
    if ranked.by_rating is not None:
        # Under 1R, a ranking has no other judged item.
        return better
    assert ranked.above is not None
    assert ranked.tied is not None
    rows = np.flatnonzero((ranked.position > 0) & (ranked.tied > 0))
    user, above = ranked.user[rows], ranked.above[rows]
    order = np.lexsort((-np.nan_to_num(ranked.rating[rows]), above, user))
    user, above = user[order], above[order]
    begins = np.ones(len(rows), dtype=np.bool_)
    begins[1:] = (user[1:] != user[:-1]) | (above[1:] != above[:-1])
    places = np.arange(len(rows))
    better[rows[order]] = places - np.maximum.accumulate(np.where(begins, places, 0))
    return better
