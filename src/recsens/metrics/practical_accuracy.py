"""Practical accuracy: the share of correct predictions among all test ratings."""

import numpy as np
from pydantic import Field

from recsens.metrics import Floats, Judged, PredictionMetric, at_every, share
from recsens.metrics._prediction_errors import errors_at
from recsens.metrics._selling import ROUNDING, TOLERANCE_MEANING


class PracticalAccuracy(PredictionMetric):
    """PA = |{i in R_test(u): r̂_ui is known and |r̂_ui - r_ui| <= λ}| / |R_test(u)|; the divisor counts all test ratings of a user.

    PA is coverage times accuracy: the share of test ratings that are predicted, times the share of predictions that are correct.
    Only correct predictions increase PA, whereas any prediction increases coverage. The value is the same for full and condensed
    rankings. A user without test ratings is left out of the average. Range [0, 1].
    """

    label = "PracticalAccuracy"
    source = (
        "named, without a formula, in Herlocker et al. (2004), section 4.1, and Bellogín (2012), section 3.2.3; "
        "λ as in Aftab & Ramampiaro (2022), eq. 18"
    )
    takes_cutoff = "never"

    tolerance: float = Field(0.5, ge=0, description=TOLERANCE_MEANING)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Count predictions near the rating, and test ratings."""
        rows = self.rows(judged)
        right = rows[np.abs(errors_at(judged, rows)) <= self.tolerance + ROUNDING]
        hits, wanted = (
            np.bincount(user, minlength=judged.n_users) for user in (judged.user[right], judged.user[self.counted(judged)])
        )
        return at_every(cutoffs, np.where(wanted > 0, share(hits.astype(np.float64), wanted), np.nan))
