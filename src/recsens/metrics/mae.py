"""Mean absolute error."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.metrics._base import TakesCutoff, Unit
from recsens.metrics._errors import NORM_MEANING, Norm, divisor, errors_at, mean_or_nan
from recsens.metrics._judged import Judged
from recsens.metrics._prediction_metric import PredictionMetric
from recsens.metrics._whole import at_every


class MAE(PredictionMetric):
    """MAE = (1/|T|) Σ_{(u,i) in T} |r̂_ui - r_ui| over the predicted test ratings T.

    Every rating has the same weight. One value for all users; NaN without a prediction. Predictions outside the scale are not
    clipped. Systems predict different pairs: print `PredictionCoverage` beside it. Range [0, ∞), in rating points; [0, 1] with
    norm=range for predictions on the scale.
    """

    label: ClassVar[str] = "MAE"
    is_monotone: ClassVar[bool] = True
    source: ClassVar[str] = "Bellogín (2012), eqs. 3.1 to 3.3; norm=range, Goldberg et al. (2001); norm=chance, Marlin (2003)"
    unit: ClassVar[Unit] = "pooled"
    higher_is_better: ClassVar[bool] = False
    takes_cutoff: ClassVar[TakesCutoff] = "never"
    values_range: ClassVar[str] = "[0, ∞)"

    norm: Norm = Field("none", description=NORM_MEANING)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Average the errors."""
        errors = errors_at(judged, self.rows(judged)) / divisor(judged.scale, self.norm)
        return at_every(cutoffs, np.array([mean_or_nan(np.abs(errors))]))
