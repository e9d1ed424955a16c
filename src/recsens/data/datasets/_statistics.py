"""Statistics of a data set: size, density, inequality."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from recsens.data.interactions import Interactions


@dataclass(frozen=True, slots=True)
class Spread:
    """Summary of the numbers of ratings per user or per item."""

    mean: float
    median: float
    lowest: int
    highest: int


@dataclass(frozen=True, slots=True)
class Description:
    """Statistics about a data set. Users and items without interactions are not counted.

    Attributes
    ----------
    users, items, ratings
        Numbers of users, items and interactions.
    density
        ratings / (users · items), in [0, 1]; 0 if there are no ratings.
    gini
        Inequality of the numbers of ratings of items, in [0, 1].
    per_user, per_item
        Numbers of ratings per user, and per item.
    mean_rating
        Mean of all ratings; None if the data set has none.
    histogram
        Each rating with its frequency, lowest rating first; empty if the data set has no ratings.
    first_time, last_time
        Earliest and latest time stamp, in the unit of the data; None if the data set has none.
    """

    users: int
    items: int
    ratings: int
    density: float
    gini: float
    per_user: Spread
    per_item: Spread
    mean_rating: float | None
    histogram: tuple[tuple[float, int], ...]
    first_time: int | None
    last_time: int | None


def describe(interactions: Interactions) -> Description:
    """Describe a data set, or the part of it that a filter or a split selects."""
    per_user = interactions.user_counts[interactions.user_counts > 0]
    per_item = interactions.item_counts[interactions.item_counts > 0]
    cells = len(per_user) * len(per_item)
    has_rows = len(interactions) > 0
    rating = interactions.rating if has_rows else None
    timestamp = interactions.timestamp if has_rows else None
    return Description(
        users=len(per_user),
        items=len(per_item),
        ratings=len(interactions),
        density=len(interactions) / cells if cells else 0.0,
        gini=gini(per_item),
        per_user=_describe_counts(per_user),
        per_item=_describe_counts(per_item),
        mean_rating=None if rating is None else float(rating.mean()),
        histogram=() if rating is None else _rating_histogram(rating),
        first_time=None if timestamp is None else int(timestamp.min()),
        last_time=None if timestamp is None else int(timestamp.max()),
    )


def gini(counts: ArrayLike) -> float:
    """Return the Gini index G = Σ_j (2j - n - 1) c_(j) / ((n - 1) Σ_j c_(j)), with c_(1) <= ... <= c_(n).

    G is 0 if all n counts are equal, and 1 if all but one are 0; for this, the divisor is n - 1 and not n. G is 0 for fewer than
    two counts, and if all counts are 0.

    Parameters
    ----------
    counts
        Shape (n,), >= 0.

    Source: Shani & Gunawardana (2011), Evaluating Recommendation Systems, section 8.3.3.2.
    """
    ordered = np.sort(np.asarray(counts, dtype=np.float64))
    n, total = len(ordered), ordered.sum()
    if n < 2 or total == 0:
        return 0.0
    weights = 2.0 * np.arange(1, n + 1) - n - 1
    return float(weights @ ordered / ((n - 1) * total))


def correlation(counts: ArrayLike, others: ArrayLike) -> float | None:
    """Return Pearson's correlation between two counts; None if either count is constant.

    Do not pass users or items without a rating: their counts are both zero, which would raise the correlation.

    Parameters
    ----------
    counts, others
        Shape (n,): numbers of ratings, and of relevant ratings, of each user or item.

    Source: Cañamares, Castells & Moffat (2020), section 4.5.
    """
    first, second = np.asarray(counts, dtype=np.float64), np.asarray(others, dtype=np.float64)
    if len(first) < 2 or not np.ptp(first) or not np.ptp(second):
        return None
    return float(np.corrcoef(first, second)[0, 1])


def _describe_counts(counts: NDArray[np.int64]) -> Spread:
    if len(counts) == 0:
        return Spread(0.0, 0.0, 0, 0)
    return Spread(float(counts.mean()), float(np.median(counts)), int(counts.min()), int(counts.max()))


def _rating_histogram(rating: NDArray[np.float64]) -> tuple[tuple[float, int], ...]:
    values, numbers = np.unique(rating, return_counts=True)
    return tuple(zip(values.tolist(), numbers.tolist(), strict=True))
