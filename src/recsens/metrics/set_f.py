"""Weighted harmonic mean of recall and the precision of the items shown."""

import numpy as np
from pydantic import Field

from recsens.metrics import Floats, Judged, Metric, capped_share


class SetF(Metric):
    """SetF@n = (β + 1) P R / (β P + R) with P = SetP@n and R = R@n; β > 1 favours recall.

    SetF is computed for each user, and equals (β + 1) |L^n ∩ R_u| / (β |R_u| + min(n, |L|)). Range [0, 1]; 0 if P and R are 0.
    Without a cut-off, SetF is trec_eval's ``set_F`` with the parameter x = β.
    """

    label = "SetF"
    is_monotone = True
    source = "trec_eval's set_F"
    takes_cutoff = "optionally"

    beta: float = Field(1.0, ge=0, description="weight of recall relative to precision")

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Divide the weighted hits by the weighted sum of the numbers of shown and relevant items."""
        shown = np.minimum(judged.listed[:, np.newaxis], np.asarray(cutoffs))
        return capped_share((self.beta + 1) * judged.hits(cutoffs), self.beta * judged.n_relevant[:, np.newaxis] + shown)
