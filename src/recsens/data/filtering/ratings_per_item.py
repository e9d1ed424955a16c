"""Items by their number of ratings."""

from typing import Self

from pydantic import Field, model_validator

from recsens.data.filtering._base import Filter
from recsens.data.filtering._count_bounds import between, check_bounds
from recsens.data.interactions import Interactions
from recsens.plugins.prose import bounds
from recsens.seeds import Stream


class RatingsPerItem(Filter):
    """Keep items with ``at_least`` to ``at_most`` ratings, and all their ratings; drop the other items.

    Ratings are counted only once. A later filter that removes ratings, such as ``ratings_per_user``, may bring items below the
    minimum again; ``k_core`` repeats the count until all minima hold. In data without ratings, interactions are counted.
    """

    source = "Cañamares, Castells & Moffat (2020), section 3.1"
    keeps_ratings = True

    at_least: int = Field(1, ge=1, description="fewest ratings of an item that is kept")
    at_most: int | None = Field(None, ge=1, description="most ratings of an item that is kept; none: no limit")

    @model_validator(mode="after")
    def _check_bounds(self) -> Self:
        check_bounds(self.at_least, self.at_most)
        return self

    def prose(self, when: str = "Before the split") -> str:
        """Name the bounds."""
        return (
            f"{when}, we kept the items with {bounds(self.at_least, self.at_most, 'rating')}, counted once, with all their ratings."
        )

    def apply(self, interactions: Interactions, stream: Stream) -> Interactions:
        """Keep the items whose number of ratings lies within the bounds."""
        return interactions.take(between(interactions.item_counts, self.at_least, self.at_most)[interactions.item])
