"""Down-selling: items predicted lower than they are rated."""

from pydantic import Field

from recsens.metrics import Floats, Judged, PredictionMetric
from recsens.metrics._selling import TOLERANCE_MEANING, migration


class DownSell(PredictionMetric):
    """DS@n = (1/m) Σ_{k<=m} 1[r̂_k < r_k - λ], the share of items predicted lower than they are rated.

    The metric reads the user's first n test items by predicted rating, in both full and condensed rankings; m is n, or the number
    of predicted items if that is lower. With the same λ, the shares of up-sold, down-sold and perfectly sold items add up to 1.
    Users without a predicted rating are left out of the average. Range [0, 1]. The paper prints r_k + λ in place of r_k - λ,
    although no item could then be perfectly sold; it also omits the factor 1/m.
    """

    label = "DownSell"
    source = "Aftab & Ramampiaro (2022), eq. 17 and 20"
    higher_is_better = False

    tolerance: float = Field(0.5, ge=0, description=TOLERANCE_MEANING)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Count predictions below the rating."""
        return migration(judged, self.rows(judged), cutoffs, self.tolerance, -1)
