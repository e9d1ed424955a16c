"""Propensities: the probability that a relevant item is judged, estimated from the item's popularity in train."""

from typing import Literal

import numpy as np
from pydantic import Field

from recsens.errors import DesignError
from recsens.metrics import Catalogue, Floats, Judged, ListMetric, Lists

Form = Literal["ips", "snips"]
"""ips: sums of inverse propensities. snips: these sums, divided by the sum that a complete list would have."""


class ByPropensity(ListMetric):
    """A metric that weights each hit by the inverse of its item's propensity."""

    values_range = "[0, ∞)"

    gamma: float = Field(
        1, ge=0, le=10, description="exponent of an item's train count in its propensity; 0 weights all items equally"
    )
    form: Form = Field(
        "ips",
        description=(
            "sums of inverse propensities (ips), or self-normalised: divided by the inverse propensities of judged items (snips)"
        ),
    )

    def weights(self, lists: Lists, judged: Judged) -> Floats:
        """Return 1 / p_i of each judged item, shape (n,)."""
        return inverse_propensities(judged, lists.catalogue, self.gamma)


def inverse_propensities(judged: Judged, catalogue: Catalogue, gamma: float) -> Floats:
    """Return 1 / p_i of each judged item, shape (n,), with p_i = (max(c_i, 1) / max_j c_j)^γ; c_i is the number of train ratings.

    The most popular item has propensity 1, so every weight is at least 1. An item without train ratings is treated as if it had one
    rating. Propensities are known only up to a common factor, which scales values with ``ips`` and cancels out with ``snips``.

    Raises DesignError if the items of the ratings are unknown.
    """
    if judged.item is None:
        raise DesignError("propensities need the items of the judgements", allowed="judgements with items")
    counts = np.maximum(catalogue.raters, 1)
    weights: Floats = np.power(counts.max(initial=1) / counts, gamma)
    return weights[judged.item]
