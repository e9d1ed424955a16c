"""Binarisation: ratings become positives."""

from __future__ import annotations

from dataclasses import replace

from pydantic import Field

from recsens.filtering._base import Filter
from recsens.filtering._ratings import refuse_off_scale
from recsens.interactions import Interactions
from recsens.seeds import Stream


class Binarise(Filter):
    """Keep ratings r >= ``at_least`` as positives without a value, and drop the ones below.

    The result has no ratings, like a log of clicks: recommenders read 1, every interaction is relevant and its gain is 1, whatever
    the threshold of relevance. Data without ratings are positives already and do not change. A threshold above the scale is
    refused. To keep the values, use rating_threshold.
    """

    source = "Liang et al. (2018), Variational Autoencoders for Collaborative Filtering, section 4.1: ratings of 4 or 5"
    also_called = ("binarize", "implicit")

    at_least: float | None = Field(
        None,
        allow_inf_nan=False,
        description="lowest rating that is positive; none: the upper quarter of the scale, rounded up to a value of it (4 on 1-5)",
    )

    def apply(self, interactions: Interactions, stream: Stream) -> Interactions:
        """Keep the interactions at or above the threshold, without their ratings."""
        if interactions.rating is None:
            return interactions
        refuse_off_scale(interactions, self.spec, lowest=self.at_least)
        threshold = interactions.scale.relevance if self.at_least is None else self.at_least
        return replace(interactions.take(interactions.rating >= threshold), rating=None)
