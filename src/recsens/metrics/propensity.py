"""Metrics with propensities: the probability that a relevant item is judged, estimated from the item's popularity in train.

IPSP: Precision with inverse propensities.
IPSR: Recall with inverse propensities.
IPSDCG: Discounted cumulative gain with inverse propensities.
IPSnDCG: Normalised discounted cumulative gain with inverse propensities.
"""

from typing import Literal

import numpy as np
from pydantic import Field

from recsens.errors import DesignError
from recsens.metrics import Floats, Judged, ListMetric, Lists, capped_share, discount_at, share
from recsens.metrics._kernels import fill_ideal_sums

Form = Literal["ips", "snips"]
"""ips: sums of inverse propensities. snips: these sums, divided by the sum that a complete list would have."""


class ByPropensity(ListMetric):
    """A metric that weights each hit by the inverse of its item's propensity."""

    values_range = "[0, ∞)"

    gamma: float = Field(
        1, ge=0, le=10, description="exponent of an item's train count in its propensity; 0 weights all items equally"
    )
    form: Form = Field(
        "ips",
        description=(
            "sums of inverse propensities (ips), or self-normalised: divided by the inverse propensities of judged items (snips)"
        ),
    )

    def weights(self, lists: Lists, judged: Judged) -> Floats:
        """Return 1 / p_i of each judged item, shape (n,), with p_i = (max(c_i, 1) / max_j c_j)^γ and the item's train count c_i.

        The most popular item has propensity 1, so every weight is at least 1. An item without train ratings is treated as if it had
        one rating. Propensities are known only up to a common factor, which scales values with ``ips`` and cancels out with
        ``snips``.

        Raises DesignError if the items of the ratings are unknown.
        """
        if judged.item is None:
            raise DesignError("propensities need the items of the judgements", allowed="judgements with items")
        counts = np.maximum(lists.catalogue.raters, 1)
        weights: Floats = np.power(counts.max(initial=1) / counts, self.gamma)
        return weights[judged.item]


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
        fill_ideal_sums(relevant if self.form == "ips" else weights, judged.starts, discounts, np.asarray(cutoffs), ideal)
        return share(gains, ideal) if self.form == "ips" else capped_share(gains, ideal)
