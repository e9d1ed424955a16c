"""Standardised discounted cumulative squared error."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.metrics._base import Metric, Reads, TakesCutoff
from recsens.metrics._discounted_errors import discounted, discounts
from recsens.metrics._judged import Judged
from recsens.metrics._shares import share


class SDCSE(Metric):
    """SDCSE@n = DCSE@n / W@n, an error: 0 is best. The values that the paper prints are 1 - SDCSE.

    ``norm=worst``: W is the DCSE of the same errors, the largest first, so that the size of the errors cancels out: errors of .1
    and of 2 everywhere both come to 1. Print `DCSE` beside it, or take ``norm=max``: W is the DCSE if every item were off by the
    width of the scale. Items, views and ties as of `DCSE`. 0 where all predictions are right; users without a predicted rating are
    left out of the average. Range [0, 1] for predictions on the scale.
    """

    label: ClassVar[str] = "SDCSE"
    source: ClassVar[str] = "Aftab & Ramampiaro (2022), eqs. 10 to 14"
    reads: ClassVar[Reads] = "predictions"
    higher_is_better: ClassVar[bool] = False
    takes_cutoff: ClassVar[TakesCutoff] = "optionally"

    norm: Literal["worst", "max"] = Field(
        "worst", description="divide by the worst order of the same errors, or the largest errors"
    )

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Divide discounted squared errors by the worst."""
        sums, worst, numbers = discounted(judged, cutoffs)
        if self.norm == "max":
            deepest = np.concatenate([[0.0], np.cumsum(discounts(int(numbers.max(initial=0))))])
            places = np.minimum(numbers[:, np.newaxis], np.asarray(cutoffs))
            worst = deepest[places] * (judged.scale.highest - judged.scale.lowest) ** 2
        return np.where(numbers[:, np.newaxis] > 0, share(sums, worst), np.nan)
