"""Root mean squared error."""

from typing import Literal

import numpy as np
from pydantic import Field

from recsens.metrics import Floats, Judged, PredictionMetric, at_every
from recsens.metrics._errors import RANGE_MEANING, divisor, errors_at, mean_or_nan


class RMSE(PredictionMetric):
    """RMSE = √((1/|T|) Σ_{(u,i) in T} (r̂_ui - r_ui)²) over the predicted test ratings T.

    Every rating has the same weight. One value for all users; NaN without a prediction. Predictions outside the scale are not
    clipped. Systems predict different pairs: print `PredictionCoverage` beside it. Range [0, ∞), in rating points; [0, 1] with
    norm=range for predictions on the scale.
    """

    label = "RMSE"
    is_monotone = True
    source = "Bellogín (2012), eqs. 3.1 to 3.3"
    unit = "pooled"
    higher_is_better = False
    takes_cutoff = "never"
    values_range = "[0, ∞)"

    norm: Literal["none", "range"] = Field("none", description=RANGE_MEANING)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Average the errors."""
        errors = errors_at(judged, self.rows(judged)) / divisor(judged.scale, self.norm)
        return at_every(cutoffs, np.sqrt(np.array([mean_or_nan(errors**2)])))
