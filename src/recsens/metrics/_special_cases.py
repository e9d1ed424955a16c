"""How a metric treats the cases on which tools differ, measured on tiny rankings.

The cases are users without relevant items, users without a list, ratings of items that are not ranked, and lists shorter than the
cut-off. The treatment is measured instead of being looked up, so it is also right for a new metric, and for a parameter such as
``undefined=skip``.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from recsens.errors import RecsensError
from recsens.files.scale import Scale
from recsens.metrics._cutoffs import MeasuredAt
from recsens.metrics._judged import Judged
from recsens.plugins.specs import format_number

_RELEVANT, _NOT = 5.0, 1.0

_LONG = 1000
"""Length of a list longer than any cut-off."""

LEFT_OUT = "left out of the mean"
MEASURED = "treated like all others"


def by_treatment(treatment: Callable[[MeasuredAt], str], metrics: Mapping[str, MeasuredAt]) -> dict[str, list[str]]:
    """Group metrics, given by label, by how they treat a case.

    Metrics with a single value for all users, and metrics that read the lists themselves rather than the positions of judged items,
    are left out.
    """
    groups: dict[str, list[str]] = {}
    for label, one in metrics.items():
        if one.metric.unit == "user" and one.metric.reads != "lists":
            try:
                outcome = treatment(one)
            except RecsensError:
                # The user's own metric may read data that the invented ranking of this measurement lacks.
                continue
            if outcome:
                groups.setdefault(outcome, []).append(label)
    return groups


def without_relevant(one: MeasuredAt, *, is_open: bool = False) -> str:
    """Say how a metric treats a user with a list but no relevant items, which is no special case if it ignores relevance.

    If lists are open, because their unrated items may be relevant, only a metric with a divisor of 0 counts the user as 0.
    """
    if "relevance" in one.metric.ignored:
        return MEASURED
    if is_open and one.is_open:
        by_place = one.metric.by_place(_tiny_ranking([_NOT], listed=_LONG), one.cutoff)
        return MEASURED if by_place is None or by_place.scale[0] else "counted as 0"
    # If the value is constant, it follows a rule; if it changes with the ratings, it is an ordinary measurement.
    return _outcome_in_words([_value(one, ratings, listed=_LONG) for ratings in ([1.0, 2.0], [2.0, 1.0], [1.0, 3.0, 2.0])])


def without_list(one: MeasuredAt) -> str:
    """Say how a metric treats a user without a list."""
    return _outcome_in_words([_value(one, ratings, listed=0) for ratings in ([_RELEVANT, _NOT], [_NOT, _RELEVANT, _RELEVANT])])


def unranked_rating(one: MeasuredAt) -> str:
    """Say how a metric treats a ranking that lacks its only relevant item."""
    return _outcome_in_words([_value(one, [_RELEVANT], listed=length, ranked=False) for length in (0, _LONG)])


def short_list(one: MeasuredAt) -> str:
    """Say how a metric with a cut-off above 1 treats a list that ends before the cut-off; empty for any other metric."""
    if one.is_whole or one.cutoff == 1:
        return ""
    if one.metric.reads == "predictions":
        return "only rated items that have a prediction are counted"
    short, full = (_value(one, [_RELEVANT], listed=length) for length in (1, one.cutoff))
    return "missing items add nothing to the value" if short == full else "only the listed items are counted"


def _outcome_in_words(values: Sequence[float]) -> str:
    if np.isnan(values).all():
        return LEFT_OUT
    return f"counted as {format_number(values[0])}" if len(set(values)) == 1 else MEASURED


def _value(one: MeasuredAt, ratings: Sequence[float], *, listed: int, ranked: bool = True) -> float:
    """Measure a user with judged items at the top of the list or, if ``listed`` is 0 or ``ranked`` is false, not in the list."""
    return float(one.metric.measure(_tiny_ranking(ratings, listed=listed, ranked=ranked), (one.cutoff,))[0, 0])


def _tiny_ranking(ratings: Sequence[float], *, listed: int, ranked: bool = True) -> Judged:
    n = len(ratings)
    positions = np.arange(1, n + 1) if listed and ranked else np.zeros(n, dtype=np.int64)
    return Judged(
        user=np.zeros(n, dtype=np.int32),
        position=positions.astype(np.int64),
        rating=np.asarray(ratings, dtype=np.float64),
        listed=np.array([listed], dtype=np.int64),
        scale=Scale(),
        relevance=4,
        score=np.where(positions > 0, 4.0 - positions, np.nan),
        item=np.arange(n, dtype=np.int32),
    )
