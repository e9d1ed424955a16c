"""Discounted cumulative squared error."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.metrics._base import TakesCutoff
from recsens.metrics._discounted_errors import SquaredErrors
from recsens.metrics._judged import Judged
from recsens.metrics._prediction_metric import PredictionMetric


class DCSE(PredictionMetric):
    """DCSE@n = Σ_{k<=n} (r_k - r̂_k)² / log2(k + 1) over the user's test items by predicted rating.

    The same under both views. Ties between predictions are broken as in the ranking; the paper leaves this open although it
    changes the value. Users without a predicted rating are left out of the average. Range [0, ∞).
    """

    label: ClassVar[str] = "DCSE"
    source: ClassVar[str] = "Aftab & Ramampiaro (2022), eq. 11"
    higher_is_better: ClassVar[bool] = False
    takes_cutoff: ClassVar[TakesCutoff] = "optionally"
    values_range: ClassVar[str] = "[0, ∞)"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Sum discounted squared errors."""
        errors = SquaredErrors.of(judged, self.rows(judged))
        return errors.where_predicted(errors.discounted(cutoffs))
