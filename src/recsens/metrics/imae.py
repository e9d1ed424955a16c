"""Mean absolute error averaged over items."""

import numpy as np
from pydantic import Field

from recsens.metrics import Floats, Judged, PredictionMetric, at_every
from recsens.metrics._errors import NORM_MEANING, Norm, divisor, errors_at, group_means, items_of, mean_or_nan


class IMAE(PredictionMetric):
    """iMAE = (1/|I|) Σ_i (1/|T_i|) Σ_{u in T_i} |r̂_ui - r_ui| over the items I with predicted test ratings T_i.

    Every item has the same weight. One value for all users; NaN without a prediction. Predictions outside the scale are not
    clipped. Systems predict different pairs: print `PredictionCoverage` beside it. Range [0, ∞), in rating points; [0, 1] with
    norm=range for predictions on the scale.
    """

    label = "iMAE"
    is_monotone = True
    source = "Bellogín (2012), eqs. 3.1 to 3.3; norm=range, Goldberg et al. (2001); norm=chance, Marlin (2003)"
    unit = "pooled"
    higher_is_better = False
    takes_cutoff = "never"
    values_range = "[0, ∞)"

    norm: Norm = Field("none", description=NORM_MEANING)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Average the errors."""
        rows = self.rows(judged)
        items = items_of(judged)
        errors = errors_at(judged, rows) / divisor(judged.scale, self.norm)
        values = group_means(np.abs(errors), items[rows], int(items.max(initial=-1)) + 1)
        return at_every(cutoffs, np.array([mean_or_nan(values)]))
