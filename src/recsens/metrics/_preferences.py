"""Two orders of a user's ranked test items: by rank and by rating."""

from typing import Literal

import numpy as np

from recsens.errors import DesignError
from recsens.metrics import Floats, Ints, Judged, at_every
from recsens.metrics._kernels import fill_ranks_by_worth

Ties = Literal["broken", "score"]
"""broken: the ranking orders every pair of items. score: items with equal scores are tied."""

TIES_MEANING = "items with equal scores: in the order of the ranking, which breaks ties (broken), or tied (score)"
"""Meaning of the parameter ``ties`` of a metric, in one line."""

Undefined = Literal["neutral", "skip"]
"""The value of a user with nothing to compare. neutral: the value of a random order, which is 1/2 for a share of pairs and 0 for a
correlation. skip: NaN, so that the user is not averaged."""

UNDEFINED_MEANING = "a user with nothing to compare gets the value of a random order (neutral), or is not averaged (skip)"
"""Meaning of the parameter ``undefined`` of a metric, in one line."""


def worth_of(judged: Judged) -> Floats:
    """Return the ranked items' ratings, in the order of `Judged.order`.

    Raises DesignError if the data set has no ratings, because there is no order with which to compare a ranking.
    """
    if np.isnan(judged.rating).any():
        raise DesignError(
            "the data set has no ratings by which to order the test items", allowed="metrics of relevance, such as P, nDCG or RBP"
        )
    return judged.rating[judged.order]


def levels(judged: Judged, ties: Ties) -> Ints:
    """Return the levels of ranked items, in the order of `Judged.order`; they ascend within a user; tied items have the same level.

    Raises DesignError if items with equal scores should be tied but scores are unknown.
    """
    order = judged.order
    rows = np.arange(len(order))
    if ties == "broken":
        return rows
    if judged.score is None:
        raise DesignError("ties=score reads the recommender's scores, which are not known here", allowed="ties=broken")
    score, user = judged.score[order], judged.user[order]
    # An item without a score (NaN) is not tied with any other. Tied rows get the number of the first row among them.
    is_tied = np.zeros(len(order), dtype=bool)
    is_tied[1:] = (score[1:] == score[:-1]) & (user[1:] == user[:-1])
    return np.maximum.accumulate(np.where(is_tied, 0, rows))


def ideal_ranks(judged: Judged) -> Ints:
    """Return ranked items' ranks by descending rating, from 0, with ties as ranked; in the order of `Judged.order`."""
    ranks = np.empty(len(judged.order), dtype=np.int64)
    fill_ranks_by_worth(worth_of(judged), judged.order_starts, ranks)
    return ranks


def every_cutoff(values: Floats, cutoffs: tuple[int, ...], undefined: Undefined = "skip", neutral: float = 0.0) -> Floats:
    """Repeat values for every cut-off, shape (n_users, n_cutoffs). Replace NaN by ``neutral`` unless such users are skipped."""
    settled = values if undefined == "skip" else np.nan_to_num(values, nan=neutral)
    return at_every(cutoffs, settled)
