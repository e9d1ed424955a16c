"""Precision with inverse propensities."""

import numpy as np

from recsens.metrics import Floats, Judged, Lists, capped_share
from recsens.metrics._propensity import ByPropensity


class IPSP(ByPropensity):
    """IPSP@n = (1/n) Σ_{i in L^n ∩ R_u} 1/p_i: precision in which a hit counts more if its item is less likely to be judged.

    The propensity is p_i = (max(c_i, 1) / max_j c_j)^γ, where c_i is the item's number of train ratings. ``form=snips`` divides the
    sum by Σ 1/p_i over all judged items of L^n, relevant or not, instead of by n. This gives the weighted share of relevant items
    among the judged items, or 0 if no item is judged. It is uninformative if all test ratings are relevant. Range [0, ∞) with
    ``ips``, [0, 1] with ``snips``.
    """

    label = "IPSP"
    source = (
        "Schnabel et al. (2016), section 3, for ips; Swaminathan & Joachims (2015) for snips; propensities of Yang et al. (2018), "
        "whose (γ + 1) / 2 is gamma here"
    )

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Sum the weights of the hits above each cut-off."""
        weights = self.weights(lists, judged)
        hits = judged.sums(weights * judged.is_relevant, cutoffs)
        if self.form == "ips":
            return hits / np.asarray(cutoffs, dtype=np.float64)
        return capped_share(hits, judged.sums(weights, cutoffs))
