"""The results of ranking."""

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

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
