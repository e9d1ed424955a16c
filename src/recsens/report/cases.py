"""What metrics make of the cases that tools treat differently, measured on tiny rankings.

Users without relevant items, users without a list, ratings whose item is not ranked, lists shorter than the cut-off, items with
equal scores: what a metric makes of them is measured, not looked up, so that a new metric, or a parameter such as
``undefined=skip``, speaks for itself.
"""

from collections.abc import Callable, Sequence

import numpy as np

from recsens.errors import RecsensError
from recsens.files.scale import Scale
from recsens.metrics import Judged, MeasuredAt
from recsens.plugins.specs import format_number

_RELEVANT, _NOT = 5.0, 1.0


def without_relevant(metrics: Sequence[MeasuredAt]) -> dict[str, list[str]]:
    """Group metrics by what they measure for a user with a list but without relevant items; metrics of whole lists are left out.

    For a metric that ignores relevance, this user is no special case.
    """
    # A constant value is a policy; one that changes with the ratings is a measurement like any other.
    boards = ([1.0, 2.0], [2.0, 1.0], [1.0, 3.0, 2.0])

    def fate(one: MeasuredAt) -> str:
        if "relevance" in one.metric.ignored:
            return _MEASURED
        return _fate([_value(one, ratings, listed=_LONG) for ratings in boards])

    return _grouped(metrics, fate)


def without_list(metrics: Sequence[MeasuredAt]) -> dict[str, list[str]]:
    """Group metrics by what they measure for a user without a list."""
    boards = ([_RELEVANT, _NOT], [_NOT, _RELEVANT, _RELEVANT])
    return _grouped(metrics, lambda one: _fate([_value(one, ratings, listed=0) for ratings in boards]))


def unranked_rating(metrics: Sequence[MeasuredAt]) -> dict[str, list[str]]:
    """Group metrics by what they measure for a ranking without its only relevant item."""
    return _grouped(metrics, lambda one: _fate([_value(one, [_RELEVANT], listed=length, ranked=False) for length in (0, _LONG)]))


def short_lists(metrics: Sequence[MeasuredAt]) -> dict[str, list[str]]:
    """Group metrics with a cut-off above 1 by what they make of a list that ends before it."""

    def fate(one: MeasuredAt) -> str:
        if one.is_whole or one.cutoff == 1:
            return ""
        if one.metric.reads == "predictions":
            return "only rated items with a prediction count"
        short, full = (_value(one, [_RELEVANT], listed=length) for length in (1, one.cutoff))
        return "missing items gain nothing" if short == full else "only the items shown count"

    return _grouped(metrics, fate)


def tied_scores(metrics: Sequence[MeasuredAt]) -> list[str]:
    """List the metrics that treat items with equal scores as tied, whatever their order in the ranking."""
    return [one.written for one in metrics if getattr(one.metric, "ties", "broken") == "score"]


_LONG = 1000
"""The length of a list below any cut-off."""

_MEASURED = "measured like any other"


def _grouped(metrics: Sequence[MeasuredAt], fate: Callable[[MeasuredAt], str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for one in metrics:
        if one.metric.unit == "user" and one.metric.reads != "lists":
            try:
                outcome = fate(one)
            except RecsensError:
                # A user's own metric may read more than a board of one user holds.
                continue
            if outcome:
                groups.setdefault(outcome, []).append(one.written)
    return groups


def _fate(values: Sequence[float]) -> str:
    if np.isnan(values).all():
        return "left out of the mean"
    return f"counted as {format_number(values[0])}" if len(set(values)) == 1 else _MEASURED


def _value(one: MeasuredAt, ratings: Sequence[float], *, listed: int, ranked: bool = True) -> float:
    """Measure a user whose judged items stand first in a list, or nowhere where it is empty or they are not ranked."""
    n = len(ratings)
    positions = np.arange(1, n + 1) if listed and ranked else np.zeros(n, dtype=np.int64)
    judged = Judged(
        user=np.zeros(n, dtype=np.int32),
        position=positions.astype(np.int64),
        rating=np.asarray(ratings, dtype=np.float64),
        listed=np.array([listed], dtype=np.int64),
        scale=Scale(),
        relevance=4,
        score=np.where(positions > 0, 4.0 - positions, np.nan),
        item=np.arange(n, dtype=np.int32),
    )
    return float(one.metric.measure(judged, (one.cutoff,))[0, 0])
