"""Results of ranking users' targets."""

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

Columns = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Rankings:
    """The judged items' positions, and the top of every ranking.

    Attributes
    ----------
    positions
        Columns of `recsens.artefacts.schemas.POSITIONS`, a row for each user and judged item, by user and item; masked if not
        ranked. Under 1R those of `recsens.artefacts.schemas.RATING_POSITIONS`, a row for each relevant test rating.
    users
        Columns of `recsens.artefacts.schemas.RANKED_USERS`, a row for each user.
    lists
        Columns of `recsens.artefacts.schemas.LISTS`, by user and rank; empty under 1R, where a user has many rankings.
    """

    positions: Columns
    users: Columns
    lists: Columns
