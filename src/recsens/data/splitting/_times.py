"""The time stamps that a split needs, and the order of interactions in time."""

from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.data.splitting._base import Splitter
from recsens.data.splitting._groups import drawn
from recsens.errors import DesignError
from recsens.seeds import Stream
from recsens.vocabulary import Role

Ties = Annotated[
    Literal["key", "random"],
    Field(
        description=(
            "which of a user's simultaneous ratings counts as later: the one with the higher item key, or one that is drawn"
        )
    ),
]
"""The order of simultaneous ratings: a parameter of splits that count ratings by time."""


class ByTime(Splitter):
    """A split that orders ratings by time, without random draws."""

    @property
    def is_random(self) -> bool:
        """Always false: nothing is drawn."""
        return False

    @property
    def needs_timestamps(self) -> bool:
        """Always true: ratings are ordered by time."""
        return True


def times(interactions: Interactions, spec: object) -> NDArray[np.int64]:
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
    time = times(interactions, spec)
    if ties == "random":
        return time, drawn(interactions, stream)
    user, item = _ranks(interactions.user_keys), _ranks(interactions.item_keys)
    return time, user[interactions.user] * interactions.n_items + item[interactions.item]


def check_ties(which: str, ties: str) -> None:
    """Refuse ``ties`` together with ``which=random``.

    Raises ValueError if ``ties`` is set although ratings are drawn at random and not selected by time.
    """
    if which == "random" and ties != "key":
        raise ValueError("'ties' orders simultaneous ratings, but which=random does not take ratings by time")


def n_tied_at_cut(interactions: Interactions, roles: NDArray[np.uint8], among: NDArray[np.bool_] | None = None) -> int:
    """Count those users in ``among`` who have a train or validation rating at the time of their first test rating."""
    time = times(interactions, "")
    first = np.full(interactions.n_users, np.iinfo(np.int64).max)
    is_test = roles == Role.TEST
    np.minimum.at(first, interactions.user[is_test], time[is_test])
    is_tied = ((roles == Role.TRAIN) | (roles == Role.VALIDATION)) & (time == first[interactions.user])
    if among is not None:
        is_tied &= among
    return len(np.unique(interactions.user[is_tied]))


def _ranks(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    ranks = np.empty(len(keys), dtype=np.int64)
    ranks[np.argsort(keys)] = np.arange(len(keys))
    return ranks
