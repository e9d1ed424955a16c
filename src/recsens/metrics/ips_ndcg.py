"""Normalised discounted cumulative gain with inverse propensities."""

import numpy as np

from recsens.metrics import Floats, Judged, Lists, capped_share, discount_at, share
from recsens.metrics._kernels import ideal_sums
from recsens.metrics._propensity import ByPropensity


class IPSNDCG(ByPropensity):
    """IPSnDCG@n = IPSDCG@n / IDCG@n: nDCG in which a hit counts more if its item is less likely to be judged.

    The propensity is p_i = (max(c_i, 1) / max_j c_j)^γ, where c_i is the item's number of train ratings. Gains are binary, the
    discount is 1 / log2(k + 1), and the ideal ranking contains the items of the user's relevant test ratings, cut at n.
    ``form=ips`` divides by nDCG's ideal, which has no weights; ``form=snips`` divides by the IPSDCG of the best order, highest
    weight 1/p_i first. Range [0, ∞) with ``ips``, [0, 1] with ``snips``; 0 without relevant items.
    """

    label = "IPSnDCG"
    source = (
        "Jain, Prabhu & Varma (2016), PSnDCG, divided by its best value for snips; propensities of Yang et al. (2018), whose "
        "(γ + 1) / 2 is gamma here"
    )

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Divide the discounted weights by those of the ideal ranking."""
        relevant = judged.is_relevant.astype(np.float64)
        weights = self.weights(lists, judged) * relevant
        gains, discount = judged.sums(weights, cutoffs, discount_at("log2")), discount_at("log2")
        discounts = discount(np.arange(1, int(judged.n_judged.max(initial=0)) + 1))
        ideal = np.empty((judged.n_users, len(cutoffs)))
        ideal_sums(relevant if self.form == "ips" else weights, judged.starts, discounts, np.asarray(cutoffs), ideal)
        return share(gains, ideal) if self.form == "ips" else capped_share(gains, ideal)
