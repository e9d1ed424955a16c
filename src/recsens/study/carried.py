"""What a metric says of data before any file is read: whether it measures data with such ratings, or refuses them."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from recsens.artefacts import schemas
from recsens.data.datasets import DataSet
from recsens.data.filtering import Filter
from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.files.scale import Scale
from recsens.metrics import Catalogue, Judged, ListMetric, Lists, Metric, Moments
from recsens.plugins.specs import Chain, Spec
from recsens.seeds import Stream

_TWO = np.arange(2)
_USER, _ITEM = np.repeat(_TWO, 2).astype(np.int32), np.tile(_TWO, 2).astype(np.int32)
"""Two users, each with a rating of two items."""


@cache
def ratings_after_filters(dataset: Spec, filters: Chain) -> tuple[bool, Scale] | None:
    """Return whether filtered data have ratings, and their scale; None if only the data show it."""
    declared = DataSet.build(dataset).declared_ratings
    if declared is None:
        return None
    has_ratings, scale = declared
    rating, keys = np.array([scale.lowest, scale.highest] * 2) if has_ratings else None, _TWO.astype(np.int64)
    left = Interactions(_USER, _ITEM, rating, np.zeros(4, dtype=np.int64), keys, keys, scale)
    try:
        for link in map(Filter.build, filters):
            left = left if link.keeps_ratings else link.apply(left, Stream.of(0, "filter"))
    except Exception:  # noqa: BLE001 - the filter needs other data than these, or is a user's own with a fault that its job names
        return None
    return left.rating is not None, left.scale


@cache
def measuring_error(metric: Spec, has_ratings: bool, scale: Scale, relevance: float | None) -> DesignError | None:
    """Return the error with which a metric refuses to measure two users whose ratings are the ends of a scale; None if it measures.

    A metric refuses data by an error of its own. So what is said before a run is what the measuring step would say.
    """
    built, two = Metric.build(metric), np.array([2, 2])
    rating = np.array([scale.lowest, scale.highest] * 2) if has_ratings else np.full(4, np.nan)
    order, score, are_targets = np.array([1, 2, 2, 1]), np.array([1.0, 0.5, 0.5, 1.0]), np.ones(4, dtype=np.bool_)
    threshold = scale.threshold(relevance)
    judged = Judged(_USER, order, rating, two, scale, threshold, score, _ITEM, targets=two, is_target=are_targets)
    try:
        if isinstance(built, ListMetric):
            items = Catalogue(
                _USER, _ITEM, 2, 2, {name: ["", ""] for name in built.item_columns}, Moments(np.zeros(2), np.zeros(2))
            )
            built.measure_lists(Lists(_ITEM[judged.order], judged.order_starts, items, _TWO, earlier=()), judged, (2,))
        else:
            built.measure(judged, (2,))
    except DesignError as error:
        return error
    except Exception:  # noqa: BLE001 - a fault of a user's own metric, which the job that measures names
        return None
    return None


def check_features(columns: Sequence[str], wanted: Sequence[str], where: str) -> None:
    """Refuse a metric that reads a column missing from the data set's item table.

    Raises
    ------
    DesignError
        The message names the columns of the table.
    """
    features = ", ".join(column for column in columns if column not in schemas.SIDE_COLUMNS.names)
    for name in wanted:
        if name not in columns:
            problem = f"metrics: the column '{name}' is not among those of the data set's items"
            raise DesignError(problem, where=where, allowed=features or "a data set with a table of items")
