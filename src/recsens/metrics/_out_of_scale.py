"""Count predicted ratings outside the rating scale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recsens.arrays import Floats
from recsens.files.scale import Scale

_ROUNDING = 1e-6
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
        slack = _ROUNDING * (scale.highest - scale.lowest)
        is_outside = (known < scale.lowest - slack) | (known > scale.highest + slack)
        ends = (float(known.min()), float(known.max())) if len(known) else (float("nan"), float("nan"))
        return cls(len(known), int(np.count_nonzero(is_outside)), *ends)

    @property
    def share_outside(self) -> float:
        """Share of predictions outside the scale; NaN if there are none."""
        return self.n_outside / self.n if self.n else float("nan")
