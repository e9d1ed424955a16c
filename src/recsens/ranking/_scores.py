"""The scores of a block of users in ranking order: the system's own first, then what fills in."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from recsens.data.interactions import Interactions
from recsens.ranking import _kernels
from recsens.ranking.nc import NotComputable
from recsens.recommenders import Recommender

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Scored:
    """The scores of some users.

    Attributes
    ----------
    scores
        The recommender's own scores, shape (n_users, n_items), NaN where not computable.
    keys
        The values by which items are ranked, shape (n_users, n_items); -inf where an item is not ranked.
    filled
        Items that the fallback ranks, shape (n_users, n_items).
    """

    scores: Floats
    keys: Floats
    filled: NDArray[np.bool_]

    @cached_property
    def ordered(self) -> Floats:
        """The rows of `keys`, each in ascending order."""
        return np.sort(self.keys, axis=1)


def score(
    recommender: Recommender,
    train: Interactions,
    users: NDArray[np.int64],
    wanted: NDArray[np.bool_],
    *,
    nc: NotComputable,
    fallback: Recommender | None,
) -> Scored:
    """Score the items asked for, and fill in items if the policy says so.

    Raises DesignError if scores are not an array of numbers, have another shape, or are infinite.
    """
    scores = _ask(recommender, train, users)
    if fallback is not None:
        # A recommender may fill the same array at each call, and two of a class share what the class holds.
        scores = scores.copy()
    computable = ~np.isnan(scores)
    keys = np.where(wanted & computable, scores, -np.inf)
    filled = np.zeros_like(wanted)
    if fallback is not None:
        filled = wanted & ~computable & nc.fills(train.user_counts)[users, np.newaxis]
    if fallback is not None and filled.any():
        # All users of the block are scored: a matrix product may depend on their number.
        others = _ask(fallback, train, users)
        filled &= ~np.isnan(others)
        _kernels.append_below(keys, filled, others)
    return Scored(scores, keys, filled)


def _ask(recommender: Recommender, train: Interactions, users: NDArray[np.int64]) -> Floats:
    scores: NDArray[np.floating] = recommender.score(train, users)
    # Single precision too: the order and the ties stay, and the kernels know one type.
    return scores.astype(np.float64, copy=False)
