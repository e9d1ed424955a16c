"""Users or items with a number of ratings within bounds.

ratings_per_item: Items by their number of ratings.
ratings_per_user: Users by their number of ratings.
"""

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from recsens.data.filtering._base import Filter
from recsens.data.interactions import Interactions
from recsens.plugins.prose import bounds
from recsens.seeds import Stream


class _CountBounds(Filter):
    """Keep those users, or those items, whose number of ratings lies within bounds."""

    source = "Cañamares, Castells & Moffat (2020), section 3.1"
    keeps_ratings = True
    counted: ClassVar[Literal["user", "item"]]
    """Whether the ratings of each user, or those of each item, are counted."""

    at_least: int = Field(1, ge=1)
    at_most: int | None = Field(None, ge=1)

    @model_validator(mode="after")
    def _check_bounds(self) -> Self:
        if self.at_most is not None and self.at_most < self.at_least:
            raise ValueError(f"at_most must be {self.at_least} or more, because at_least is {self.at_least}")
        return self

    def prose(self, when: str = "Before the split") -> str:
        """Name the bounds."""
        held = bounds(self.at_least, self.at_most, "rating")
        return f"{when}, we kept the {self.counted}s with {held}, counted once, with all their ratings."

    def apply(self, interactions: Interactions, stream: Stream) -> Interactions:
        """Keep the users or items whose number of ratings lies within the bounds."""
        is_user = self.counted == "user"
        counts = interactions.user_counts if is_user else interactions.item_counts
        is_kept = counts >= self.at_least if self.at_most is None else (counts >= self.at_least) & (counts <= self.at_most)
        return interactions.take(is_kept[interactions.user if is_user else interactions.item])


class RatingsPerItem(_CountBounds):
    """Keep items with ``at_least`` to ``at_most`` ratings, and all their ratings; drop the other items.

    Ratings are counted only once. A later filter that removes ratings, such as ``ratings_per_user``, may bring items below the
    minimum again; ``k_core`` repeats the count until all minima hold. In data without ratings, interactions are counted.
    """

    label = "ratings_per_item"
    counted = "item"

    at_least: int = Field(1, ge=1, description="fewest ratings of an item that is kept")
    at_most: int | None = Field(None, ge=1, description="most ratings of an item that is kept; none: no limit")


class RatingsPerUser(_CountBounds):
    """Keep users with ``at_least`` to ``at_most`` ratings, and all their ratings; drop the other users.

    Ratings are counted only once. A later filter that removes ratings, such as ``ratings_per_item``, may bring users below the
    minimum again; ``k_core`` repeats the count until all minima hold. In data without ratings, interactions are counted.
    """

    label = "ratings_per_user"
    counted = "user"

    at_least: int = Field(1, ge=1, description="fewest ratings of a user who is kept")
    at_most: int | None = Field(None, ge=1, description="most ratings of a user who is kept; none: no limit")
