"""Time stamps that a split needs, and the order in time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recsens.errors import DesignError
from recsens.interactions import Interactions
from recsens.splitting._base import Splitter


class ByTime(Splitter):
    """A split that orders ratings by time, and draws nothing."""

    @property
    def is_random(self) -> bool:
        """Nothing is drawn."""
        return False

    @property
    def needs_timestamps(self) -> bool:
        """Always."""
        return True


def times(interactions: Interactions, spec: object) -> NDArray[np.int64]:
    """Return the time stamps.

    Raises
    ------
    DesignError
        If the data have none.
    """
    if interactions.timestamp is None:
        raise DesignError(
            f"split '{spec}' orders ratings by time, and these data have no time stamps",
            remedy="declare the column of the time stamp, or choose a split without time, such as random",
        )
    return interactions.timestamp


def chronological(interactions: Interactions, spec: object) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the columns that order interactions by time; at the same time by key of the user, then of the item."""
    user, item = _ranks(interactions.user_keys), _ranks(interactions.item_keys)
    return times(interactions, spec), user[interactions.user] * interactions.n_items + item[interactions.item]


def _ranks(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    ranks = np.empty(len(keys), dtype=np.int64)
    ranks[np.argsort(keys)] = np.arange(len(keys))
    return ranks
