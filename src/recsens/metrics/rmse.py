"""Root mean squared error."""

from typing import Literal

from pydantic import Field

from recsens.metrics import Floats, Judged
from recsens.metrics._mean_errors import MeanErrors
from recsens.metrics._prediction_errors import RANGE_MEANING, divisor


class RMSE(MeanErrors):
    """RMSE = √((1/|T|) Σ_{(u,i) in T} (r̂_ui - r_ui)²) over the predicted test ratings T.

    ``over=items`` is iRMSE = (1/|I|) Σ_i √((1/|T_i|) Σ_{u in T_i} (r̂_ui - r_ui)²) over the items I with predicted test ratings
    T_i. ``over=users`` is uRMSE_u = √((1/|T_u|) Σ_{i in T_u} (r̂_ui - r_ui)²), one value per user; users without a predicted rating
    are left out of the average. RMSE and iRMSE have one value for all users; it is NaN if there is no prediction. Predictions
    outside the scale are not clipped. Report `PredictionCoverage` too, because systems may predict different pairs. Range [0, ∞),
    in rating points; [0, 1] with norm=range for predictions on the scale.
    """

    label = "RMSE"
    source = "Bellogín (2012), eqs. 3.1 to 3.3"

    norm: Literal["none", "range"] = Field("none", description=RANGE_MEANING)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Average the errors."""
        return self.averaged(judged, cutoffs, divisor(judged.scale, self.norm), power=2)
