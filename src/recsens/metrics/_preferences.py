"""A user's ranked test items in two orders: that of the ranking and that of the ratings."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from recsens.errors import DesignError
from recsens.metrics._judged import Judged
from recsens.metrics._kernels import places_by_worth

Ties = Literal["broken", "score"]
"""broken: the ranking orders every pair. score: items that the recommender scored alike are tied."""

TIES_MEANING = "items that the recommender scored alike stand as the ranking breaks the tie (broken), or are tied (score)"
"""What the parameter ``ties`` of a metric means, in one line."""

Undefined = Literal["neutral", "skip"]
"""What a user measures of whom there is nothing to compare. neutral: what an order that says nothing would, 1/2 of a share of pairs
and 0 of a correlation. skip: nothing, NaN, so that the user is not averaged."""

UNDEFINED_MEANING = "a user with nothing to compare measures what chance would (neutral), or is not averaged (skip)"
"""What the parameter ``undefined`` of a metric means, in one line."""


def worth_of(judged: Judged) -> NDArray[np.float64]:
    """Ratings of the ranked items in the order of `Judged.order`.

    Raises
    ------
    DesignError
        If the data set has no ratings, and so no order to compare a ranking with.
    """
    if np.isnan(judged.rating).any():
        raise DesignError(
            "the data set has no ratings to order the test items by",
            allowed="metrics of relevance, such as P, nDCG or RBP",
        )
    return judged.rating[judged.order]


def levels(judged: Judged, ties: Ties) -> NDArray[np.int64]:
    """Level of each ranked item in the order of `Judged.order`, ascending within a user; tied items share one.

    Raises
    ------
    DesignError
        If items scored alike should be tied, and scores are not known.
    """
    order = judged.order
    places = np.arange(len(order))
    if ties == "broken":
        return places
    if judged.score is None:
        raise DesignError("ties=score reads what the recommender gave each item, which is not known here", allowed="ties=broken")
    score, user = judged.score[order], judged.user[order]
    # An item without a score of its own, NaN, equals nothing. Each place is raised to the first of its ties.
    is_tied = np.zeros(len(order), dtype=bool)
    is_tied[1:] = (score[1:] == score[:-1]) & (user[1:] == user[:-1])
    return np.maximum.accumulate(np.where(is_tied, 0, places))


def ideal_places(judged: Judged) -> NDArray[np.int64]:
    """0-based place of each ranked item among its user's by falling rating, ties as ranked; in the order of `Judged.order`."""
    places = np.empty(len(judged.order), dtype=np.int64)
    places_by_worth(worth_of(judged), judged.order_starts, places)
    return places


def ratio(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide, shape (n_users,); NaN where there is nothing to divide by, and so nothing to compare."""
    values = np.full(len(part), np.nan)
    np.divide(part, whole, out=values, where=whole > 0)
    return values


def every_cutoff(
    values: NDArray[np.float64], cutoffs: tuple[int, ...], undefined: Undefined = "skip", neutral: float = 0.0
) -> NDArray[np.float64]:
    """Repeat what has no cut-off for each one asked, shape (n_users, n_cutoffs); NaN is what is not defined."""
    settled = values if undefined == "skip" else np.nan_to_num(values, nan=neutral)
    return np.tile(settled[:, np.newaxis], (1, len(cutoffs)))
