"""Drop the most popular items; only the long tail remains."""

from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from recsens.data.filtering._base import Filter
from recsens.data.interactions import Interactions
from recsens.data.popularity import by_popularity
from recsens.plugins.prose import percent, several
from recsens.seeds import Stream

_SHARE, _OF = 0.33, "ratings"


class DropPopular(Filter):
    """Drop the short head: the most popular items, with all their ratings.

    With ``of=ratings``, the head is the shortest list of most popular items that together have at least ``share`` of all ratings.
    With ``of=items``, the head has floor(share · n) items, where n is the number of items with ratings. With ``count``, the head
    has exactly ``count`` items. Of two items with the same number of ratings, the one with the lower key is dropped first. In data
    without ratings, interactions are counted.
    """

    source = "Cremonesi, Koren & Turrin (2010), section 2: 33 % of the ratings; of=items: Valcarce et al. (2018), popularity bias"
    keeps_ratings = True

    share: float = Field(_SHARE, gt=0, lt=1, description="share of the ratings, or of the items, in the head; ignored with count")
    of: Literal["ratings", "items"] = Field("ratings", description="unit of the share; ignored with count")
    count: int | None = Field(None, ge=1, description="number of items to drop, instead of a share")

    @model_validator(mode="after")
    def _check_one_given(self) -> Self:
        if self.count is not None and (self.share != _SHARE or self.of != _OF):
            raise ValueError("'share' and 'of' set a share to drop, and 'count' a number of items: give one or the other")
        return self

    def prose(self, when: str = "Before the split") -> str:
        """Name the number or share of the items."""
        if self.count is not None:
            return f"{when}, we dropped the {several(self.count, 'item')} with the most ratings."
        if self.of == "items":
            return f"{when}, we dropped the {percent(self.share)} of the items with the most ratings, rounded down."
        held = f"the fewest items that together have at least {percent(self.share)} of the ratings"
        return f"{when}, we dropped the most popular items: {held}."

    def apply(self, interactions: Interactions, stream: Stream) -> Interactions:
        """Drop the most popular items."""
        is_head = np.zeros(interactions.n_items, dtype=np.bool_)
        order = by_popularity(interactions.item_counts, interactions.item_keys)
        is_head[order[: self._n_to_drop(interactions.item_counts[order])]] = True
        return interactions.take(~is_head[interactions.item])

    def _n_to_drop(self, counts: NDArray[np.int64]) -> int:
        """Return how many of the most popular items to drop; ``counts`` descend."""
        if self.count is not None:
            return self.count
        # Round to nine decimals: .07 of 100 is 7, but the product of floats is slightly more.
        if self.of == "items":
            return int(np.floor(round(self.share * np.count_nonzero(counts), 9)))
        held = np.cumsum(counts)
        return int(np.searchsorted(held, round(self.share * counts.sum(), 9))) + 1
