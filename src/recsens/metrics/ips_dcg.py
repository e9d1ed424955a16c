"""Discounted cumulative gain with inverse propensities."""

import numpy as np

from recsens.metrics import Floats, Judged, Lists, capped_share, discount_at
from recsens.metrics._propensity import ByPropensity


class IPSDCG(ByPropensity):
    """IPSDCG@n = Σ_{hits k <= n} 1 / (p_{i_k} log2(k + 1)): DCG in which a hit counts more if its item is less likely to be judged.

    The propensity is p_i = (max(c_i, 1) / max_j c_j)^γ, where c_i is the item's number of train ratings. Gains are binary.
    ``form=snips`` divides by Σ 1/p_i over the user's relevant test ratings, ranked or not, which gives the mean discount of a
    relevant item. Range [0, ∞) with ``ips``, [0, 1] with ``snips``; 0 without relevant items.
    """

    label = "IPSDCG"
    source = (
        "Yang et al. (2018), R_IPS and R_SNIPS, whose propensities have (γ + 1) / 2 for gamma; with the discount as in the code of "
        "Saito et al. (2020)"
    )

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Sum the discounted weights of the hits above each cut-off."""
        weights = self.weights(lists, judged) * judged.is_relevant
        gains = judged.sums(weights, cutoffs, discount_at("log2"))
        if self.form == "ips":
            return gains
        return capped_share(gains, np.bincount(judged.user, weights, judged.n_users)[:, np.newaxis])
