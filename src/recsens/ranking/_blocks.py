"""Divide users to limit memory: users are scored block by block, and only one stretch of rankings (several blocks) is in memory."""

import numpy as np
from numpy.typing import NDArray

from recsens.vocabulary import USERS_AT_ONCE

STRETCH = 16 * USERS_AT_ONCE
"""Number of users in a stretch, whose rankings are in memory and are measured at the same time."""


def blocks(n_users: int) -> list[NDArray[np.int64]]:
    """Divide the users into blocks."""
    return in_blocks(np.arange(n_users))


def stretches(n_users: int, shard: int = 0, n_shards: int = 1) -> list[NDArray[np.int64]]:
    """Divide the users into stretches, and return the stretches of one shard; none if there are more shards than stretches.

    Examples
    --------
    >>> [len(users) for users in stretches(20_000)]
    [8192, 8192, 3616]
    >>> [len(users) for users in stretches(20_000, 1, 2)]
    [8192, 3616]
    """
    every = np.split(np.arange(n_users), range(STRETCH, n_users, STRETCH))
    return every[len(every) * shard // n_shards : len(every) * (shard + 1) // n_shards]


def in_blocks(users: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Divide some users into blocks."""
    return np.split(users, range(USERS_AT_ONCE, len(users), USERS_AT_ONCE))
