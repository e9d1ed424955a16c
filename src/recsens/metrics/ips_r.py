"""Recall with inverse propensities."""

import numpy as np

from recsens.metrics import Floats, Judged, Lists, capped_share, share
from recsens.metrics._propensity import ByPropensity


class IPSR(ByPropensity):
    """IPSR@n = (1/|R_u|) Σ_{i in L^n ∩ R_u} 1/p_i: recall in which a hit counts more if its item is less likely to be judged.

    The propensity is p_i = (max(c_i, 1) / max_j c_j)^γ, where c_i is the item's number of train ratings. R_u are the user's
    relevant test ratings, ranked or not. The number of relevant items if everything were judged is unknown, so ``form=ips``
    compares systems but does not estimate recall. ``form=snips`` estimates that number by Σ 1/p_i over R_u, and divides by it.
    Range [0, ∞) with ``ips``, [0, 1] with ``snips``; 0 without relevant items.
    """

    label = "IPSR"
    source = "Yang et al. (2018), R_IPS and R_SNIPS; their propensities have (γ + 1) / 2 for gamma"

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Sum the hits' weights above each cut-off and divide by the number, or the total weight, of all relevant items."""
        weights = self.weights(lists, judged) * judged.is_relevant
        hits = judged.sums(weights, cutoffs)
        if self.form == "ips":
            return share(hits, judged.n_relevant[:, np.newaxis])
        return capped_share(hits, np.bincount(judged.user, weights, judged.n_users)[:, np.newaxis])
