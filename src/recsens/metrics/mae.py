"""Mean absolute error."""

from pydantic import Field

from recsens.metrics import Floats, Judged
from recsens.metrics._mean_errors import MeanErrors
from recsens.metrics._prediction_errors import NORM_MEANING, Norm, divisor


class MAE(MeanErrors):
    """MAE = (1/|T|) Σ_{(u,i) in T} |r̂_ui - r_ui| over the predicted test ratings T.

    ``over=items`` is iMAE = (1/|I|) Σ_i (1/|T_i|) Σ_{u in T_i} |r̂_ui - r_ui| over the items I with predicted test ratings T_i.
    ``over=users`` is uMAE_u = (1/|T_u|) Σ_{i in T_u} |r̂_ui - r_ui|, one value per user; users without a predicted rating are left
    out of the average. MAE and iMAE have one value for all users; it is NaN if there is no prediction. Predictions outside the
    scale are not clipped. Report `PredictionCoverage` too, because systems may predict different pairs. Range [0, ∞), in rating
    points; [0, 1] with norm=range for predictions on the scale.
    """

    label = "MAE"
    source = "Bellogín (2012), eqs. 3.1 to 3.3; norm=range, Goldberg et al. (2001); norm=chance, Marlin (2003)"

    norm: Norm = Field("none", description=NORM_MEANING)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Average the errors."""
        return self.averaged(judged, cutoffs, divisor(judged.scale, self.norm), power=1)
