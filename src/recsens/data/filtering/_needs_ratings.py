"""Check that the data have ratings, for filters that need them."""

import numpy as np
from numpy.typing import NDArray

from recsens.data.interactions import Interactions
from recsens.errors import DesignError


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
