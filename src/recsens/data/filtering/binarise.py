"""Binarisation: ratings become positives, or the values 0 and 1."""

from dataclasses import replace
from typing import Literal

import numpy as np
from pydantic import Field

from recsens.data.filtering._base import Filter
from recsens.data.filtering._needs_ratings import refuse_off_scale
from recsens.data.interactions import Interactions
from recsens.files.scale import Scale
from recsens.plugins.prose import number
from recsens.seeds import Stream

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

    source = (
        "drop: Liang et al. (2018), Variational Autoencoders for Collaborative Filtering, section 4.1: ratings of 4 or 5; "
        "zero: Aftab & Ramampiaro (2022), section IV-E: liked and not liked"
    )
    also_called = ("binarize", "implicit")

    at_least: float | None = Field(
        None,
        allow_inf_nan=False,
        description="lowest positive rating; none: the upper quarter of the scale, rounded up to one of its values (4 on 1-5)",
    )
    below: Literal["drop", "zero"] = Field("drop", description="how to treat lower ratings: drop them, or keep them as 0")

    def prose(self, when: str = "Before the split") -> str:
        """Name the threshold, and say how the ratings below it were treated."""
        which = "in the upper quarter of the scale" if self.at_least is None else f"of {number(self.at_least)} and above"
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
