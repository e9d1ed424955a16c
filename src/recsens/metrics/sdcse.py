"""Standardised discounted cumulative squared error."""

from typing import Literal

from pydantic import Field

from recsens.metrics import Floats, Judged, PredictionMetric, capped_share, share
from recsens.metrics._discounted_errors import SquaredErrors


class SDCSE(PredictionMetric):
    """SDCSE@n = DCSE@n / W@n, an error: 0 is best, and 1 is the worst order of the errors.

    With ``norm=worst``, W is the DCSE of the same first n items, ordered by error, largest first; items below n do not matter. The
    size of the errors cancels out: SDCSE is 1 if all errors are .1, if all errors are 2, or if only one prediction is wrong.
    Therefore report `DCSE` too, or use ``norm=max``, where W is the DCSE if the error of each of the first n items were the width
    of the scale. Items, views and ties are treated as in `DCSE`. The value is 0 if the first n items are all predicted exactly;
    users without a predicted rating are left out of the average. Range [0, 1], with ``norm=max`` for predictions on the scale. Of
    the four examples that the paper prints, the second and the third are 1 - SDCSE (called accuracy there), cut to two decimals.
    The paper's equations give neither the first nor the fourth.
    """

    label = "SDCSE"
    source = "Aftab & Ramampiaro (2022), eqs. 10 to 14"
    higher_is_better = False
    takes_cutoff = "optionally"

    norm: Literal["worst", "max"] = Field(
        "worst", description="divide by the worst order of the first n items' errors (worst), or by the largest errors (max)"
    )

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Divide the sum of discounted squared errors by W."""
        errors = SquaredErrors.of(judged, self.rows(judged))
        if self.norm == "max":
            width = judged.scale.highest - judged.scale.lowest
            # Divide before summing: an error as wide as the scale is then 1, and the ratio never exceeds 1.
            return errors.where_predicted(share(errors.discounted(cutoffs, width * width), errors.most(cutoffs)))
        return errors.where_predicted(capped_share(errors.discounted(cutoffs), errors.worst(cutoffs)))
