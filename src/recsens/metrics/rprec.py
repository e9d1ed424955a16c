"""R-precision."""

import numpy as np

from recsens.metrics import WHOLE, Floats, Judged, Metric, share


class Rprec(Metric):
    """Rprec = |L^r ∩ R_u| / r with r = |R_u|: precision at a cut-off of r, the number of relevant items, where it equals recall.

    Range [0, 1]; 0 without relevant items or without a list. The divisor is r even if the list is shorter.
    """

    label = "Rprec"
    is_monotone = True
    source = "Buckley & Voorhees (2005), as trec_eval's Rprec"
    takes_cutoff = "never"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Count relevant items down to each user's own cut-off."""
        reaches = judged.n_relevant[judged.user]
        whole = (WHOLE,) * len(cutoffs)
        hits = judged.sum_hits(lambda rows: (judged.position[rows] <= reaches[rows]).astype(np.float64), whole)
        return share(hits, judged.n_relevant[:, np.newaxis])
