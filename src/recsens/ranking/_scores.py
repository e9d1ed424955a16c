"""Scores of a block of users, and the order that ranks them: what the system scored, then what is filled in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.errors import DesignError
from recsens.interactions import Interactions
from recsens.nc import NotComputable
from recsens.ranking import _kernels
from recsens.recommenders import Recommender

Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Scored:
    """The scores of some users.

    Attributes
    ----------
    scores
        The recommender's own, shape (n_users, n_items), NaN where not computable.
    keys
        What the items are ranked by, shape (n_users, n_items); -inf where an item is not ranked.
    filled
        Items that the fallback ranks, shape (n_users, n_items).
    """

    scores: Floats
    keys: Floats
    filled: NDArray[np.bool_]

    @cached_property
    def ordered(self) -> Floats:
        """The rows of keys, each in ascending order."""
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
    """Score the items wanted, and fill in where a policy says so.

    Raises
    ------
    DesignError
        If scores are not an array of numbers, of another shape, or infinite.
    """
    scores = _ask(recommender, train, users, wanted.shape)
    computable = ~np.isnan(scores)
    keys = np.where(wanted & computable, scores, -np.inf)
    filled = np.zeros_like(wanted)
    if fallback is not None:
        filled = wanted & ~computable & nc.fills(train.user_counts)[users, np.newaxis]
    if fallback is not None and filled.any():
        # All users of the block are asked for: what a matrix product gives may depend on their number.
        others = _ask(fallback, train, users, wanted.shape)
        filled &= ~np.isnan(others)
        _kernels.append_below(keys, filled, others.astype(np.float64))
    return Scored(scores, keys, filled)


def _ask(recommender: Recommender, train: Interactions, users: NDArray[np.int64], shape: tuple[int, ...]) -> Floats:
    scores = recommender.score(train, users)
    if not isinstance(scores, np.ndarray) or scores.dtype.kind not in "fiu":
        found = f"an array of {scores.dtype}" if isinstance(scores, np.ndarray) else type(scores).__name__
        raise DesignError(f"'{recommender.spec}' returned {found} as scores", allowed="a numpy array of numbers")
    if scores.shape != shape:
        raise DesignError(f"'{recommender.spec}' returned scores of shape {scores.shape}", allowed=f"shape {shape}")
    if np.isinf(scores).any():
        raise DesignError(f"'{recommender.spec}' returned an infinite score", allowed="finite numbers, NaN where not computable")
    return scores
