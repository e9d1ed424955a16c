"""Precision."""

import numpy as np

from recsens.metrics import Floats, Judged, Metric
from recsens.metrics._random_order import expected_hits


class P(Metric):
    """P@n = |L^n ∩ R_u| / n: the share of relevant items among the first n.

    Range [0, 1], at most min(n, |R_u|) / n. The divisor is n even if the list is shorter.
    """

    label = "P"
    is_monotone = True
    source = "Valcarce et al. (2018), eq. 1"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Count relevant items above each cut-off and divide by the cut-off."""
        return judged.hits(cutoffs) / np.asarray(cutoffs, dtype=np.float64)

    def at_random(self, targets: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Return E[P@n] = |R_u ∩ T_u| / |T_u| · min(n, |T_u|) / n (Bellogín 2012, eqs. 4.4 and 4.5)."""
        return expected_hits(targets, cutoffs) / np.asarray(cutoffs, dtype=np.float64)
