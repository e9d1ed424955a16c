"""The results of ranking, and the blocks of users: they are scored block by block, and one stretch of blocks is in memory."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.vocabulary import USERS_AT_ONCE

STRETCH = 16 * USERS_AT_ONCE
"""Number of users in a stretch, whose rankings are in memory and are measured at the same time."""


Columns = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Rankings:
    """The positions of judged items, and the top of every ranking.

    Attributes
    ----------
    positions
        Columns of `recsens.artefacts.schemas.POSITIONS`, one row per user and judged item, sorted by user and item; masked for
        unranked items. Under 1R, columns of `recsens.artefacts.schemas.RATING_POSITIONS`, one row per relevant test rating.
    users
        Columns of `recsens.artefacts.schemas.RANKED_USERS`, one row per user.
    lists
        Columns of `recsens.artefacts.schemas.LISTS`, sorted by user and rank; empty under 1R, where a user has many rankings.
    """

    positions: Columns
    users: Columns
    lists: Columns


def user_blocks(n_users: int) -> list[NDArray[np.int64]]:
    """Divide the users into blocks."""
    return divide_users(np.arange(n_users))


def user_stretches(n_users: int, shard: int = 0, n_shards: int = 1) -> list[NDArray[np.int64]]:
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


def divide_users(users: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Divide some users into blocks."""
    return np.split(users, range(USERS_AT_ONCE, len(users), USERS_AT_ONCE))
