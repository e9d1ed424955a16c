"""Root mean squared error of each user."""

from typing import Literal

import numpy as np
from pydantic import Field

from recsens.metrics import Floats, Judged, PredictionMetric, at_every
from recsens.metrics._errors import RANGE_MEANING, divisor, errors_at, group_means


class URMSE(PredictionMetric):
    """uRMSE_u = √((1/|T_u|) Σ_{i in T_u} (r̂_ui - r_ui)²) over the user's predicted test ratings T_u.

    In its mean every user has the same weight. Users without a predicted rating are left out of the average. Predictions outside
    the scale are not clipped. Range [0, ∞), in rating points; [0, 1] with norm=range for predictions on the scale.
    """

    label = "uRMSE"
    is_monotone = True
    source = "Bellogín (2012), eqs. 3.1 to 3.3"
    higher_is_better = False
    takes_cutoff = "never"
    values_range = "[0, ∞)"

    norm: Literal["none", "range"] = Field("none", description=RANGE_MEANING)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Average the errors."""
        rows = self.rows(judged)
        errors = errors_at(judged, rows) / divisor(judged.scale, self.norm)
        return at_every(cutoffs, np.sqrt(group_means(errors**2, judged.user[rows], judged.n_users)))
