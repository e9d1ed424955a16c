"""The k-core: every user and every item has at least a minimum number of ratings."""

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.data.filtering._base import Filter
from recsens.data.interactions import Interactions
from recsens.plugins.prose import several
from recsens.seeds import Stream


class KCore(Filter):
    """Keep the largest part of the data in which each user has ``users`` or more ratings, and each item ``items`` or more.

    Users and items below their minimum are dropped with their ratings, repeatedly, until all remaining users and items reach their
    minimum. The order of dropping does not affect the result, which may be empty. In data without ratings, interactions are
    counted.
    """

    source = "Seidman (1983), Network structure and minimum degree; with two minima: Cerinšek & Batagelj (2015)"
    keeps_ratings = True
    also_called = ("core", "p_core")

    users: int = Field(5, ge=1, description="fewest ratings of a user that is kept, on items that are kept")
    items: int = Field(5, ge=1, description="fewest ratings of an item that is kept, by users that are kept")

    def prose_title(self) -> str:
        """Name the filter in a few words."""
        return f"{self.users}-core" if self.users == self.items and self == type(self)(users=self.users, items=self.items) else ""

    def prose(self, when: str = "Before the split") -> str:
        """Name both minima."""
        users, items = several(self.users, "rating"), several(self.items, "rating")
        core = f"every user has at least {users} and every item at least {items}"
        return f"{when}, we kept the largest part of the data in which {core}."

    def apply(self, interactions: Interactions, stream: Stream) -> Interactions:
        """Drop users and items until both minima hold."""
        stays_user, stays_item = self._core_masks(interactions)
        return interactions.take(stays_user[interactions.user] & stays_item[interactions.item])

    def _core_masks(self, interactions: Interactions) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        user, item = interactions.user, interactions.item
        while True:
            stays_user = np.bincount(user, minlength=interactions.n_users) >= self.users
            stays_item = np.bincount(item, minlength=interactions.n_items) >= self.items
            kept = stays_user[user] & stays_item[item]
            if kept.all():
                return stays_user, stays_item
            user, item = user[kept], item[kept]
