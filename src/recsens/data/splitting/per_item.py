"""Put the same number of ratings of each item into train or into test, to reduce the advantage of popular items."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.data.splitting._base import Splitter
from recsens.data.splitting._groups import Groups, drawn
from recsens.plugins.prose import several
from recsens.seeds import Stream
from recsens.vocabulary import Role


class PerItem(Splitter):
    """``n`` randomly drawn ratings of each item go to ``side``, all others to the other side.

    With ``side=train`` every item has ``n`` train ratings; with ``side=test`` every item has ``n`` test ratings. The ratings drawn
    at n = 2 include the rating drawn at n = 1. An item with n or fewer ratings is only in train. By contrast, the split ``uniform``
    itself chooses the items and their number of test ratings.
    """

    source = (
        "Cañamares, Castells & Moffat (2020), section 3.2, for train (it cites a paper that fixes the number in test: Bellogín "
        "(2012), section 4.6.2)"
    )

    n: int = Field(10, ge=1, description="number of ratings of each item on that side")
    side: Literal["train", "test"] = Field("train", description="the set that gets n ratings of each item")

    def prose(self, whose: str = "the ratings") -> str:
        """Name the number of ratings and the side."""
        side, other = ("training", "testing") if self.side == "train" else ("testing", "training")
        n = several(self.n, "random rating")
        return f"Of each item, {n} went to {side} and all others to {other}; items with no further ratings are only in training."

    @property
    def indivisible(self) -> str | None:
        """Why `per_user` cannot wrap this split: it counts an item's ratings by all users."""
        return "it counts an item's ratings over all users"

    def roles(self, interactions: Interactions, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Put each item's first ``n`` ratings in random order into ``side``."""
        items = Groups.items(interactions)
        first = items.ranks(drawn(interactions, stream)) < self.n
        enough = (items.sizes > self.n)[items.code]
        is_test = enough & (first if self.side == "test" else ~first)
        return np.where(is_test, Role.TEST, Role.TRAIN).astype(np.uint8)
