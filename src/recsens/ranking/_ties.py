"""Tie-breaking: of two items with the same score, the one with the lower key comes first."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recsens.data.interactions import Interactions
from recsens.seeds import Stream, mixed
from recsens.vocabulary import Ties


class TieKeys(NamedTuple):
    """The inputs from which tie keys are computed, as a tuple that kernels accept."""

    is_random: bool
    """Whether the key of user u and item i is ``mixed(users[u] ^ items[i])``; otherwise it is ``items[i]`` for all users."""
    users: NDArray[np.uint64]
    items: NDArray[np.uint64]

    @classmethod
    def of(cls, ties: Ties, stream: Stream, train: Interactions) -> TieKeys:
        """Collect all users' keys; random keys equal those of `Stream.hashes` for pairs of user and item."""
        if ties == "random":
            return cls(True, stream.hashes(train.user_keys), mixed(train.item_keys))
        index = np.arange(train.n_items, dtype=np.uint64)
        return cls(False, np.zeros(train.n_users, dtype=np.uint64), index if ties == "low_index" else ~index)

    def of_users(self, users: NDArray[np.int64]) -> TieKeys:
        """Return these users' keys only."""
        return self._replace(users=self.users[users])
