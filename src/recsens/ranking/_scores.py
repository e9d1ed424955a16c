"""Scores of a block of users: the system's own scores, and those of the fallback, below them or among them."""

from collections.abc import Sequence
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


@dataclass(frozen=True)
class Scored:
    """The scores of a block of users.

    Attributes
    ----------
    own
        The system's own scores, NaN where it has none, shape (n_users, n_items).
    layers
        The layers, the highest first.
    filled
        The items that the fallback scored, shape (n_users, n_items); None if there are none.
    """

    own: Floats
    layers: Sequence[Layer]
    filled: Bools | None = None


def score(
    recommender: Recommender,
    train: Interactions,
    users: NDArray[np.int64],
    wanted: Bools,
    *,
    nc: NotComputable,
    fallback: Recommender | None,
) -> Scored:
    """Score the requested items; under some policies, the fallback scores the items without a score.

    Raises DesignError if scores are not an array of numbers, have a wrong shape, or are infinite.
    """
    scores = _ask(recommender, train, users, wanted)
    alone = Scored(scores, [Layer(scores, wanted)])
    if fallback is None:
        return alone
    missing = wanted & np.isnan(scores) & nc.fills(train.user_counts)[users, np.newaxis]
    if not missing.any():
        return alone
    # Copy, because a recommender may reuse its array in the next call, and two recommenders of a class may share an array.
    scores = read_only(scores.copy())
    # Score all users of the block, because a matrix product may depend on their number.
    others = _ask(fallback, train, users, wanted if nc.merges else missing)
    filled = missing & ~np.isnan(others)
    if nc.merges:
        merged = np.where(filled, nc.converted(scores, others, wanted), scores)
        return Scored(scores, [Layer(read_only(merged), wanted)], filled)
    return Scored(scores, [Layer(scores, wanted), Layer(others, filled)], filled)


def _ask(recommender: Recommender, train: Interactions, users: NDArray[np.int64], wanted: Bools) -> Floats:
    scores: NDArray[np.floating] = recommender.score_targets(train, users, wanted)
    # Convert single precision too: order and ties stay the same, and the kernels support only one type.
    return read_only(scores.astype(np.float64, copy=False))
