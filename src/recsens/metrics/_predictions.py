"""Predicted ratings: the contract of metrics that read them, their errors, and how many are outside the rating scale."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import BeforeValidator, Field

from recsens.arrays import Bools, Floats, Ints
from recsens.errors import DesignError, SpecError
from recsens.files.scale import Scale
from recsens.metrics._base import Metric
from recsens.metrics._judged import Judged
from recsens.plugins.specs import format_value


def predictions_of(judged: Judged) -> Floats:
    """Return the judged items' predicted ratings, NaN for items without one, shape (n,).

    Raises DesignError if the data set has no ratings, or if the predictions are unknown.
    """
    if np.isnan(judged.rating).any():
        raise DesignError("the data set has no ratings to predict", allowed="metrics of relevance, such as P, nDCG or RBP")
    if judged.score is None:
        raise DesignError(
            "this metric reads the predicted ratings, which are not known here", allowed="metrics of judged positions"
        )
    return judged.score


def errors_at(judged: Judged, rows: Ints) -> Floats:
    """Return predicted minus true ratings, shape (len(rows),); predictions outside the scale are not clipped."""
    assert judged.score is not None
    return judged.score[rows] - judged.rating[rows]


def predicted_order(judged: Judged, counted: Ints) -> tuple[Ints, Ints]:
    """Return the rows ``counted``, by user and then as ranked, and each row's rank (from 0) among the user's rows.

    All these rows have a predicted rating. The result is the same for full and condensed rankings. Ties are broken as in the
    ranking.
    """
    order = judged.order
    is_counted = np.zeros(len(judged.user), dtype=bool)
    is_counted[counted] = True
    rows = order[is_counted[order]]
    user = judged.user[rows]
    return rows, np.arange(len(rows)) - np.searchsorted(user, user)


ALL, RELEVANT = "all", "relevant"

_RANGE = re.compile(r"(-?\d+(?:\.\d+)?)\.\.(-?\d+(?:\.\d+)?)")

_ALLOWED = "all, relevant (by the design's threshold), or a lowest and a highest rating, such as 4..5"


def _check_selection(value: object) -> str:
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


Ratings = Annotated[str, BeforeValidator(_check_selection)]
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


_SLACK = 1e-6
"""Tolerance for rounding predictions to single precision, as a share of the scale's width."""


@dataclass(frozen=True)
class Predictions:
    """The number of predicted ratings outside the scale, and the range of predictions.

    Errors such as RMSE do not clip predictions; if scores are not ratings, errors are therefore meaningless.

    Attributes
    ----------
    n, n_outside
        Number of predicted ratings, and number of predicted ratings outside the scale.
    lowest, highest
        The lowest and the highest prediction; NaN if there are none.
    """

    n: int
    n_outside: int
    lowest: float
    highest: float

    @classmethod
    def of(cls, score: Floats, scale: Scale) -> Predictions:
        """Count the scores, and those outside the scale; ``score`` has one entry per judged item, NaN if it has no score."""
        known = score[~np.isnan(score)]
        slack = _SLACK * (scale.highest - scale.lowest)
        is_outside = (known < scale.lowest - slack) | (known > scale.highest + slack)
        ends = (float(known.min()), float(known.max())) if len(known) else (float("nan"), float("nan"))
        return cls(len(known), int(np.count_nonzero(is_outside)), *ends)

    @property
    def share_outside(self) -> float:
        """Share of predictions outside the scale; NaN if there are none."""
        return self.n_outside / self.n if self.n else float("nan")
