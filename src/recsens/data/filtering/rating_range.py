"""Ratings within two bounds."""

from typing import Self

from pydantic import Field, model_validator

from recsens.data.filtering._base import Filter
from recsens.data.filtering._needs_ratings import ratings, refuse_off_scale
from recsens.data.interactions import Interactions
from recsens.plugins.prose import number
from recsens.seeds import Stream


class RatingRange(Filter):
    """Keep ratings r with ``lowest`` <= r <= ``highest``.

    The declared rating scale does not change, nor does the default threshold of relevance, which depends on it. Data without
    ratings are refused. Bounds that keep no rating of the scale are refused too.
    """

    keeps_ratings = True

    lowest: float | None = Field(None, allow_inf_nan=False, description="lowest rating that is kept; none: the scale's lowest")
    highest: float | None = Field(None, allow_inf_nan=False, description="highest rating that is kept; none: the scale's highest")

    @model_validator(mode="after")
    def _check_bounds(self) -> Self:
        if self.lowest is not None and self.highest is not None and self.highest < self.lowest:
            raise ValueError(f"highest must be {self.lowest:g} or more, because lowest is {self.lowest:g}")
        return self

    def prose(self, when: str = "Before the split") -> str:
        """Name the bounds."""
        if self.lowest is not None and self.highest is not None:
            return f"{when}, we kept the ratings from {number(self.lowest)} to {number(self.highest)}."
        if self.lowest is not None:
            return f"{when}, we kept the ratings of {number(self.lowest)} and above."
        if self.highest is not None:
            return f"{when}, we kept the ratings of {number(self.highest)} and below."
        return f"{when}, we kept the ratings of the whole scale."

    def apply(self, interactions: Interactions, stream: Stream) -> Interactions:
        """Keep the ratings within the bounds."""
        rating, scale = ratings(interactions, self.spec), interactions.scale
        refuse_off_scale(interactions, self.spec, lowest=self.lowest, highest=self.highest)
        lowest = scale.lowest if self.lowest is None else self.lowest
        highest = scale.highest if self.highest is None else self.highest
        return interactions.take((rating >= lowest) & (rating <= highest))
