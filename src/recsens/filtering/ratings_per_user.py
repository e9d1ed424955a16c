"""Users by their number of ratings."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from recsens.filtering._base import Filter
from recsens.filtering._counts import between, check_bounds
from recsens.interactions import Interactions
from recsens.seeds import Stream


class RatingsPerUser(Filter):
    """Keep users with ``at_least`` to ``at_most`` ratings, with all of them; the others go altogether.

    Users are counted once. Behind another filter that takes ratings of theirs away, such as ratings_per_item, some may fall below
    the minimum again: k_core goes on until all minima hold. Data without ratings are counted by interactions.
    """

    source = "Cañamares, Castells & Moffat (2020), section 3.1"
    keeps_ratings = True

    at_least: int = Field(1, ge=1, description="fewest ratings of a user who stays")
    at_most: int | None = Field(None, ge=1, description="most ratings of a user who stays; none: any number")

    @model_validator(mode="after")
    def _check_bounds(self) -> Self:
        check_bounds(self.at_least, self.at_most)
        return self

    def apply(self, interactions: Interactions, stream: Stream) -> Interactions:
        """Count the ratings of users."""
        return interactions.take(between(interactions.user_counts, self.at_least, self.at_most)[interactions.user])
