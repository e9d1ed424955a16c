"""Harmonic mean of precision and recall."""

import numpy as np

from recsens.metrics import Floats, Judged, Metric


class F1(Metric):
    """F1@n = 2 P R / (P + R) = 2 |L^n ∩ R_u| / (n + |R_u|) with P = P@n and R = R@n.

    F1 is computed for each user, so the mean over users is not the F1 of mean precision and mean recall. Precision divides by n
    even if the list is shorter; in `SetF`, precision divides by the list's length. Range [0, 1]; 0 if precision and recall are 0.
    """

    label = "F1"
    is_monotone = True
    source = "van Rijsbergen (1979), chapter 7"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Divide twice the hits by the sum of the cut-off and the number of relevant items."""
        return 2 * judged.hits(cutoffs) / (np.asarray(cutoffs, dtype=np.float64) + judged.n_relevant[:, np.newaxis])
