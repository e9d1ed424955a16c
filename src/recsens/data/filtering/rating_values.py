"""Ratings by their values: within bounds, above a threshold, or turned into positives.

rating_range: Ratings within two bounds.
rating_threshold: Ratings at or above a threshold: one threshold for all users, or each user's own.
binarise: Binarisation: ratings become positives, or the values 0 and 1.
"""

from dataclasses import replace
from typing import Annotated, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from recsens.data.filtering._base import Filter
from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.files.scale import Scale
from recsens.plugins.prose import number
from recsens.seeds import Stream


def ratings(interactions: Interactions, spec: object) -> NDArray[np.float64]:
    """Return the ratings.

    Raises DesignError if the data have none.
    """
    if interactions.rating is None:
        raise DesignError(
            f"filter '{spec}' compares ratings, but these data have no ratings: every interaction counts as positive",
            remedy="declare the rating column, or leave this filter out; if binarise comes before it, exchange the two filters",
        )
    return interactions.rating


def refuse_off_scale(
    interactions: Interactions, spec: object, *, lowest: float | None = None, highest: float | None = None
) -> None:
    """Refuse bounds that allow no value of the scale.

    Raises DesignError if ``lowest`` is above the highest rating of the scale, or if ``highest`` is below its lowest rating.
    """
    scale = interactions.scale
    if (lowest is not None and lowest > scale.highest) or (highest is not None and highest < scale.lowest):
        raise DesignError(
            f"filter '{spec}' keeps no ratings: the scale of these data runs from {scale.lowest:g} to {scale.highest:g}",
            allowed=f"bounds that keep some rating from {scale.lowest:g} to {scale.highest:g}",
        )


class RatingRange(Filter):
    """Keep ratings r with ``lowest`` <= r <= ``highest``.

    The declared rating scale does not change, nor does the default threshold of relevance, which depends on it. Data without
    ratings are refused. Bounds that keep no rating of the scale are refused too.
    """

    label = "rating_range"
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


_PARTS = 2**20
"""Ratings and means are compared to within this fraction of a step of the scale."""


class RatingThreshold(Filter):
    """Keep ratings r >= ``at_least`` or, to correct for generous and strict users, r >= the mean of the user's ratings.

    A rating equal to the mean is kept, so every user keeps at least one rating. Ratings and means are compared to within a
    millionth of a step of the scale, so rounding does not matter. The remaining ratings keep their values, whereas ``binarise``
    replaces them. Data without ratings are refused. A threshold above the scale is refused too.
    """

    label = "rating_threshold"
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


_LIKED = Scale(0.0, 1.0, 1.0)


class Binarise(Filter):
    """Ratings r >= ``at_least`` become positives; ``below`` says how to treat all other ratings.

    ``below=drop`` drops the other ratings. The result has no ratings, like a log of clicks. Recommenders read a rating of 1 for
    every interaction; every interaction is relevant, with a gain of 1, whatever the threshold of relevance.

    ``below=zero`` keeps every interaction, with a rating of 1 for positives and 0 for all others. The scale runs from 0 to 1 in
    steps of 1: predicted ratings and their errors are on that scale, and 1 is relevant unless the design says otherwise. A
    recommender that only reads which items are rated treats zeros as positives; if it has the option ``preference=positive``,
    restrict it to relevant ratings.

    Data without ratings do not change, because they are positives already. A threshold above the scale is refused. To drop low
    ratings but keep the values of the others, use ``rating_threshold``.
    """

    label = "binarise"
    source = (
        "drop: Liang et al. (2018), Variational Autoencoders for Collaborative Filtering, section 4.1: ratings of 4 or 5; "
        "zero: Aftab & Ramampiaro (2022), section IV-E: liked and not liked"
    )
    also_called = ("binarize", "implicit")

    at_least: float | None = Field(
        None,
        allow_inf_nan=False,
        description="lowest positive rating; none: the data set's threshold of relevance (4 on 1-5, unless it declares another)",
    )
    below: Literal["drop", "zero"] = Field("drop", description="how to treat lower ratings: drop them, or keep them as 0")

    def prose(self, when: str = "Before the split") -> str:
        """Name the threshold, and say how the ratings below it were treated."""
        which = (
            "at or above the data set's threshold of relevance"
            if self.at_least is None
            else f"of {number(self.at_least)} and above"
        )
        if self.below == "zero":
            return f"{when}, we kept the ratings {which} as 1 and all others as 0."
        return f"{when}, we kept the ratings {which} as positives without a value, and dropped all others."

    def apply(self, interactions: Interactions, stream: Stream) -> Interactions:
        """Mark ratings at or above the threshold as positive; set the others to zero or drop them, as ``below`` says."""
        if interactions.rating is None:
            return interactions
        refuse_off_scale(interactions, self.spec, lowest=self.at_least)
        threshold = interactions.scale.threshold(self.at_least)
        is_positive = interactions.rating >= threshold
        if self.below == "zero":
            return replace(interactions, rating=is_positive.astype(np.float64), scale=_LIKED)
        return replace(interactions.take(is_positive), rating=None)
