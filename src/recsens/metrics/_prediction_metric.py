"""The contract of metrics of predicted ratings, and the selection of the test ratings that they use."""

import math
import re
from typing import Annotated

import numpy as np
from pydantic import BeforeValidator, Field

from recsens.arrays import Bools, Ints
from recsens.errors import DesignError, SpecError
from recsens.metrics._base import Metric
from recsens.metrics._judged import Judged
from recsens.metrics._prediction_errors import predictions_of
from recsens.plugins.specs import format_value

ALL, RELEVANT = "all", "relevant"

_RANGE = re.compile(r"(-?\d+(?:\.\d+)?)\.\.(-?\d+(?:\.\d+)?)")

_ALLOWED = "all, relevant (by the design's threshold), or a lowest and a highest rating, such as 4..5"


def _canonical(value: object) -> str:
    """Check a selection of ratings, and return it in canonical form; a single number becomes both ends of a range."""
    text = str(value)
    if text in (ALL, RELEVANT):
        return text
    found = _RANGE.fullmatch(text if ".." in text else f"{text}..{text}")
    if found is None:
        raise SpecError(f"ratings: '{text}' does not select ratings", allowed=_ALLOWED)
    low, high = map(float, found.groups())
    if low > high:
        raise SpecError(f"ratings: '{text}' starts above its end", allowed=_ALLOWED)
    return "..".join(format_value(int(end) if end.is_integer() else end) for end in (low, high))


Ratings = Annotated[str, BeforeValidator(_canonical)]
"""Which test ratings count: all, relevant, or a range such as ``4..5``, including both ends; ``5`` is ``5..5``."""


class PredictionMetric(Metric):
    """A measure of the errors of predicted ratings; it is the same for full and condensed rankings.

    ``ratings`` selects the test ratings that count; all others are treated as if they were not in the test set. Users with no
    prediction for a rating that counts are left out of the average.
    """

    reads = "predictions"
    ignores = frozenset({"view"})

    ratings: Ratings = Field(ALL, description=f"the test ratings that count: {_ALLOWED}")

    @property
    def ignored(self) -> frozenset[str]:
        """The view and, unless only relevant ratings count, relevance."""
        return super().ignored | (frozenset() if self.ratings == RELEVANT else frozenset({"relevance"}))

    def counted(self, judged: Judged) -> Bools:
        """Return which test ratings count, predicted or not, shape (n,).

        Raises DesignError if the data set has no ratings, or if the range contains no rating of its scale.
        """
        if self.ratings == ALL:
            return np.ones(len(judged.rating), dtype=bool)
        if self.ratings == RELEVANT:
            return judged.is_relevant
        low, high = map(float, self.ratings.split(".."))
        scale = judged.scale
        if high < scale.lowest or low > scale.highest:
            raise DesignError(
                f"{self.spec}: no rating from {low:g} to {high:g} is on the scale",
                allowed=f"ratings from {scale.lowest:g} to {scale.highest:g}",
            )
        # Ratings on a scale are rounded to nine decimals.
        slack = 1e-9 * max(1.0, math.fabs(high))
        return (judged.rating >= low - slack) & (judged.rating <= high + slack)

    def rows(self, judged: Judged) -> Ints:
        """Return the row numbers of test ratings that count and are predicted.

        Raises DesignError if the data set has no ratings, or if the predictions are unknown.
        """
        score = predictions_of(judged)
        return np.flatnonzero(~np.isnan(score) & self.counted(judged))
