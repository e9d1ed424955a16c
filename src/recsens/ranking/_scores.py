"""Scores of a block of users in layers: the system's own scores, and below them the scores of the fallback."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recsens.arrays import read_only
from recsens.data.interactions import Interactions
from recsens.ranking.nc import NotComputable
from recsens.recommenders import Recommender

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Layer:
    """Items that are ranked together for some users, below the items of the layer above.

    Attributes
    ----------
    values
        The values by which items are ranked, shape (n_users, n_items); items with NaN are not ranked.
    wanted
        The items that may be ranked, shape (n_users, n_items).
    """

    values: Floats
    wanted: Bools


def score(
    recommender: Recommender,
    train: Interactions,
    users: NDArray[np.int64],
    wanted: Bools,
    *,
    nc: NotComputable,
    fallback: Recommender | None,
) -> list[Layer]:
    """Score the requested items; under some policies, a second layer contains the items without a score.

    Raises DesignError if scores are not an array of numbers, have a wrong shape, or are infinite.
    """
    scores = _ask(recommender, train, users, wanted)
    if fallback is None:
        return [Layer(scores, wanted)]
    missing = wanted & np.isnan(scores) & nc.fills(train.user_counts)[users, np.newaxis]
    if not missing.any():
        return [Layer(scores, wanted)]
    # Copy, because a recommender may reuse its array in the next call, and two recommenders of a class may share an array.
    scores = read_only(scores.copy())
    # Score all users of the block, because a matrix product may depend on their number.
    others = _ask(fallback, train, users, missing)
    return [Layer(scores, wanted), Layer(others, missing & ~np.isnan(others))]


def _ask(recommender: Recommender, train: Interactions, users: NDArray[np.int64], wanted: Bools) -> Floats:
    scores: NDArray[np.floating] = recommender.score_targets(train, users, wanted)
    # Convert single precision too: order and ties stay the same, and the kernels support only one type.
    return read_only(scores.astype(np.float64, copy=False))
