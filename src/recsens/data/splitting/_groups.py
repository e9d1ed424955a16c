"""Groups of interactions that are split separately, the order within each group, and the order in time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.plugins.frozen import Frozen
from recsens.seeds import Stream
from recsens.vocabulary import Role


@dataclass(frozen=True, slots=True)
class Groups(Frozen):
    """A partition of interactions: all in one group, one group per user, or one group per item.

    Attributes
    ----------
    code
        Group of each interaction, shape (n,).
    keys
        Identities of the groups, fixed when the data are read, shape (n_groups,).
    sizes
        Number of interactions in each group, shape (n_groups,).
    """

    code: NDArray[np.int32]
    keys: NDArray[np.int64]
    sizes: NDArray[np.int64]

    @classmethod
    def together(cls, interactions: Interactions) -> Groups:
        """Put all interactions into one group."""
        n = len(interactions)
        return cls(np.zeros(n, dtype=np.int32), np.zeros(1, dtype=np.int64), np.array([n], dtype=np.int64))

    @classmethod
    def users(cls, interactions: Interactions) -> Groups:
        """Return a group for each user."""
        return cls(interactions.user, interactions.user_keys, interactions.user_counts)

    @classmethod
    def items(cls, interactions: Interactions) -> Groups:
        """Return a group for each item."""
        return cls(interactions.item, interactions.item_keys, interactions.item_counts)

    def ranks(self, *columns: NDArray[np.int64] | NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return each interaction's rank within its group, counted from 0, shape (n,); the first column is the primary sort key."""
        order = _sort_by_group(self.code, len(self.keys), columns)
        code = self.code[order]
        ranks = np.empty(len(order), dtype=np.int64)
        ranks[order] = np.arange(len(order), dtype=np.int64) - (np.cumsum(self.sizes) - self.sizes)[code]
        return ranks


def _sort_by_group(
    code: NDArray[np.int32], n_groups: int, columns: tuple[NDArray[np.int64] | NDArray[np.uint64], ...]
) -> NDArray[np.int64]:
    """Sort by group and columns: quickly by group and the leading bits of the first column, then exactly where ties remain."""
    if len(code) == 0:
        return np.empty(0, dtype=np.int64)
    first = columns[0]
    bits = n_groups.bit_length()
    least = first.min()
    excess = max(0, (int(first.max()) - int(least)).bit_length() + bits - 64)
    # The difference of two signed numbers fits into 64 unsigned bits.
    leading = (first - least).astype(np.uint64) >> np.uint64(excess)
    leading |= code.astype(np.uint64) << np.uint64(64 - bits)
    order = np.argsort(leading)
    if excess or len(columns) > 1:
        leading = leading[order]
        same = leading[1:] == leading[:-1]
        tied = np.flatnonzero(np.append(same, False) | np.insert(same, 0, False))
        among = order[tied]
        order[tied] = among[np.lexsort((*(column[among] for column in columns[::-1]), leading[tied]))]
    return np.asarray(order, dtype=np.int64)


def random_keys(interactions: Interactions, stream: Stream) -> NDArray[np.uint64]:
    """Return a random number for each interaction, as a sort key. Ties between 64-bit numbers are too rare to matter."""
    return stream.hashes(interactions.user_keys[interactions.user], interactions.item_keys[interactions.item])


def n_in_train(sizes: NDArray[np.int64], ratio: float) -> NDArray[np.int64]:
    """Return how many of each group go to train: floor(ratio · size), but in a group of two or more, each side gets at least one.

    A group of one goes to test, because ceil((1 - ratio) · 1) = 1.
    """
    # Round first: 100 * .58 is 57.99999999999999 in floating point.
    floored = np.floor(np.round(sizes * ratio, 6)).astype(np.int64)
    return np.where(sizes >= 2, np.clip(floored, 1, np.maximum(sizes - 1, 1)), floored)


Ties = Annotated[
    Literal["key", "random"],
    Field(
        description=(
            "which of a user's simultaneous ratings counts as later: the one with the higher item key, or one that is drawn"
        )
    ),
]
"""The order of simultaneous ratings: a parameter of splits that count ratings by time."""


def time_stamps_of(interactions: Interactions, spec: object) -> NDArray[np.int64]:
    """Return the time stamps.

    Raises DesignError if the data have none.
    """
    if interactions.timestamp is None:
        raise DesignError(
            f"split '{spec}' orders ratings by time, but these data have no time stamps",
            remedy="declare the time stamp column, or choose a split without time, such as random",
        )
    return interactions.timestamp


def chronological(
    interactions: Interactions, spec: object, ties: str, stream: Stream
) -> tuple[NDArray[np.int64], NDArray[np.int64] | NDArray[np.uint64]]:
    """Return the columns by which to sort interactions in time. Ties are broken by a draw, or by user key and then item key."""
    time = time_stamps_of(interactions, spec)
    if ties == "random":
        return time, random_keys(interactions, stream)
    user, item = _ranks_of(interactions.user_keys), _ranks_of(interactions.item_keys)
    return time, user[interactions.user] * interactions.n_items + item[interactions.item]


def n_tied_at_cut(interactions: Interactions, roles: NDArray[np.uint8], among: NDArray[np.bool_] | None = None) -> int:
    """Count those users in ``among`` who have a train or validation rating at the time of their first test rating."""
    time = time_stamps_of(interactions, "")
    first = np.full(interactions.n_users, np.iinfo(np.int64).max)
    is_test = roles == Role.TEST
    np.minimum.at(first, interactions.user[is_test], time[is_test])
    is_tied = ((roles == Role.TRAIN) | (roles == Role.VALIDATION)) & (time == first[interactions.user])
    if among is not None:
        is_tied &= among
    return len(np.unique(interactions.user[is_tied]))


def _ranks_of(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    ranks = np.empty(len(keys), dtype=np.int64)
    ranks[np.argsort(keys)] = np.arange(len(keys))
    return ranks
