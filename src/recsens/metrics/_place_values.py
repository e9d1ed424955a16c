"""Values of metrics for a ranking with a single relevant item, by the item's position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from recsens.arrays import Floats, Ints
from recsens.errors import SpecError
from recsens.files.scale import Scale
from recsens.metrics._cutoffs import MeasuredAt, by_metric
from recsens.metrics._judged import Judged

_ALLOWED = "metrics of the place of one relevant item, such as P, R, Success, RR, AP and nDCG"


@dataclass(frozen=True)
class PlaceValues:
    """g(k): the value of a ranking with a single judged item, which is relevant and at position k.

    Attributes
    ----------
    at
        ``at[h]`` is the value with h items above, g(1 + h); shape (depth, n_columns).
    missed
        The value if the item is not ranked, shape (n_columns,).
    column
        Column of each metric for each rating of the item, shape (n_metrics, n_ratings); a metric without grades has a single
        column.
    """

    at: Floats
    missed: Floats
    column: Ints

    @classmethod
    def of(cls, metrics: Sequence[MeasuredAt], depth: int, ratings: Floats, scale: Scale, relevance: float) -> PlaceValues:
        """Measure every metric at positions 1 to ``depth``, for each of the ratings, all of which are relevant.

        Raises SpecError if a metric compares judged items with each other, reads predictions, depends on the length of the ranking,
        or is undefined at some place.
        """
        for measured in metrics:
            if measured.metric.compares_judged:
                problem = "compares judged items with one another, but here each ranking has only one judged item"
                raise SpecError(f"metric '{measured.written}' {problem}", allowed=_ALLOWED)
            if measured.metric.reads != "positions":
                raise SpecError(
                    f"metric '{measured.written}' reads {measured.metric.reads}, not only the place of a relevant item",
                    allowed=_ALLOWED,
                )
        columns: dict[bytes, int] = {}
        column = np.empty((len(metrics), len(ratings)), dtype=np.int64)
        for number, rating in enumerate(ratings):
            values = _measure_places(metrics, depth, float(rating), scale, relevance)
            for row, value in enumerate(values):
                column[row, number] = columns.setdefault(value.tobytes(), len(columns))
        table = np.stack([np.frombuffer(value) for value in columns], axis=1) if columns else np.empty((depth + 1, 0))
        return cls(np.ascontiguousarray(table[1:]), table[0], column)


def _measure_places(metrics: Sequence[MeasuredAt], depth: int, rating: float, scale: Scale, relevance: float) -> Floats:
    """Return every metric's value if the item is not ranked, then its value at each position, shape (n_metrics, depth + 1)."""
    place = np.arange(depth + 1)
    cut, long = (_single_relevant(place, listed, rating, scale, relevance) for listed in (place, np.full_like(place, depth + 1)))
    values = np.empty((len(metrics), depth + 1))
    for metric, rows in by_metric(metrics):
        cutoffs = tuple(metrics[row].cutoff for row in rows)
        values[rows] = metric.measure(long, cutoffs).T
        written = metrics[rows[0]].written
        if np.isnan(values[rows]).any():
            raise SpecError(f"metric '{written}' is not defined for every ranking with a single judged item", allowed=_ALLOWED)
        if not np.array_equal(values[rows], metric.measure(cut, cutoffs).T):
            raise SpecError(
                f"metric '{written}' depends on the length of the ranking, not only on the place of the relevant item",
                allowed=_ALLOWED,
            )
    return values + 0.0  # Turn -0 into 0, because equal columns are recognised by their bytes.


def _single_relevant(place: Ints, listed: Ints, rating: float, scale: Scale, relevance: float) -> Judged:
    """Return one ranking for each position in ``place``; the only judged item of the ranking is at this position."""
    return Judged.of(
        user=place.astype(np.int32),
        position=place,
        rating=np.full(len(place), rating),
        targets_ranked=listed,
        view="full",
        scale=scale,
        relevance=relevance,
    )
