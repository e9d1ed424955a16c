"""Ratings at or above a threshold: one threshold for all users, or each user's own."""

from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.data.filtering._base import Filter
from recsens.data.filtering._needs_ratings import ratings, refuse_off_scale
from recsens.data.interactions import Interactions
from recsens.plugins.prose import number
from recsens.seeds import Stream

_PARTS = 2**20
"""Ratings and means are compared to within this fraction of a step of the scale."""


class RatingThreshold(Filter):
    """Keep ratings r >= ``at_least`` or, to correct for generous and strict users, r >= the mean of the user's ratings.

    A rating equal to the mean is kept, so every user keeps at least one rating. Ratings and means are compared to within a
    millionth of a step of the scale, so rounding does not matter. The remaining ratings keep their values, whereas ``binarise``
    replaces them. Data without ratings are refused. A threshold above the scale is refused too.
    """

    keeps_ratings = True

    at_least: Annotated[float, Field(allow_inf_nan=False)] | Literal["user_mean"] = Field(
        "user_mean", description="lowest rating that is kept, or user_mean: the mean of each user's ratings"
    )

    def prose(self, when: str = "Before the split") -> str:
        """Name the threshold."""
        if self.at_least == "user_mean":
            return f"{when}, we kept the ratings at or above the mean of the user's own ratings."
        return f"{when}, we kept the ratings of {number(self.at_least)} and above, with their values."

    def apply(self, interactions: Interactions, stream: Stream) -> Interactions:
        """Compare ratings with the threshold."""
        rating = ratings(interactions, self.spec)
        if self.at_least == "user_mean":
            return interactions.take(_reaches_mean(interactions, rating))
        refuse_off_scale(interactions, self.spec, lowest=self.at_least)
        return interactions.take(rating >= self.at_least)


def _reaches_mean(interactions: Interactions, rating: NDArray[np.float64]) -> NDArray[np.bool_]:
    # Sums of integers are exact, so the order of rows does not matter.
    scale = interactions.scale
    step = scale.step or (scale.highest - scale.lowest) or 1.0
    parts = np.rint((rating - scale.lowest) * (_PARTS / step))
    sums = np.bincount(interactions.user, weights=parts, minlength=interactions.n_users)
    means = sums / np.maximum(interactions.user_counts, 1)
    return np.asarray(parts >= means[interactions.user] - 1)
