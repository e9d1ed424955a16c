"""Discounted cumulative squared error."""

from recsens.metrics import Floats, Judged, PredictionMetric
from recsens.metrics._discounted_errors import SquaredErrors


class DCSE(PredictionMetric):
    """DCSE@n = Σ_{k<=n} (r_k - r̂_k)² / log2(k + 1) over the user's test items by predicted rating.

    The value is the same for full and condensed rankings. Ties between predictions are broken as in the ranking. The paper does not
    say how to break ties, although this changes the value. Users without a predicted rating are left out of the average. Range [0,
    ∞).
    """

    label = "DCSE"
    source = "Aftab & Ramampiaro (2022), eq. 11"
    higher_is_better = False
    takes_cutoff = "optionally"
    values_range = "[0, ∞)"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Sum discounted squared errors."""
        errors = SquaredErrors.of(judged, self.rows(judged))
        return errors.where_predicted(errors.discounted(cutoffs))
