"""Cumulative gain, discounted by position, and divided by that of an ideal ranking.

DCG: Discounted cumulative gain.
nDCG: Normalised discounted cumulative gain.
HLU: Half-life utility.
"""

from typing import Literal

import numpy as np
from pydantic import Field

from recsens.compiled.machine_code import python_if_few_rows
from recsens.metrics import DISCOUNT_MEANING, ByPlace, Discount, Floats, Ints, Judged, Metric, capped_share, discount_at, share
from recsens.metrics._base import expected_sums
from recsens.metrics._gains import GainMetric, gains, highest_gain
from recsens.metrics._judged import scale_of
from recsens.metrics._kernels import fill_ideal_sums, fill_retrieved_ideal_sums


class DCG(GainMetric):
    """DCG@n = Σ_{k<=n} g(k) D(k), not divided by an ideal list's DCG; the discount D(k) is 1 / log2(k + 1) by default.

    Users with more relevant items can gain more, so they have more weight in an average. Unjudged items gain 0. Range [0, ∞); 0
    if no item gains anything or there is no list.
    """

    label = "DCG"
    is_monotone = True
    source = "Järvelin & Kekäläinen (2002)"
    values_range = "[0, ∞)"
    takes_cutoff = "optionally"

    discount: Discount = Field("log2", description=DISCOUNT_MEANING)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Sum the discounted gains."""
        return judged.sums(gains(judged, self.gain), cutoffs, discount_at(self.discount))

    def at_random(self, targets: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Return E[DCG@n] = (mean gain of a target) · Σ_{k <= min(n, |T_u|)} D(k)."""
        return expected_sums(targets, gains(targets, self.gain), cutoffs, discount_at(self.discount))

    def by_place(self, judged: Judged, cutoff: int) -> ByPlace:
        """Weigh each place by its discount."""
        weight, gain = discount_at(self.discount)(np.arange(1, cutoff + 1)), gains(judged, self.gain)
        return ByPlace("sum", weight, gain, highest_gain(judged, self.gain), np.ones(judged.n_users))


class NDCG(GainMetric):
    """nDCG@n = DCG@n / IDCG@n with DCG@n = Σ_{k<=n} g(k) D(k); the discount D(k) is 1 / log2(k + 1) by default.

    The ideal ranking contains all of the user's judged items, highest gain first, whether or not the system ranked them.
    ``ideal=cut`` cuts it at n; a perfect list of n items then scores 1. ``ideal=uncut`` does not cut it. ``ideal=list`` sorts the
    first n items of the system's own ranking; a missing item then does not lower the value. Unjudged items gain 0. With ``log2``,
    the base of the logarithm cancels out; in the discount of Järvelin & Kekäläinen it matters. Range [0, 1]; 0 if the ideal has no
    gain, for example without relevant items or without a list. trec_eval's ``ndcg_cut`` is gain=linear,ideal=cut; its ``ndcg`` is
    ideal=uncut without a cut-off.
    """

    label = "nDCG"
    is_monotone = True
    source = "Järvelin & Kekäläinen (2002); Valcarce et al. (2018), eq. 4; Cañamares, Castells & Moffat (2020), section 3.6"
    takes_cutoff = "optionally"

    ideal: Literal["cut", "uncut", "list"] = Field(
        "cut",
        description=(
            "items in the ideal ranking: all judged items, with the ranking cut at the cut-off (cut) or not (uncut), or the "
            "system's first items (list)"
        ),
    )
    discount: Discount = Field("log2", description=DISCOUNT_MEANING)

    @property
    def has_range_by_ties(self) -> bool:
        """Whether the metric has a range by ties: false if the ideal depends on the order."""
        return self.ideal != "list"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Divide the discounted gains by those of the ideal ranking."""
        value, weight = gains(judged, self.gain), discount_at(self.discount)
        return capped_share(judged.sums(value, cutoffs, weight), self._idcg(judged, value, cutoffs))

    def at_random(self, targets: Judged, cutoffs: tuple[int, ...]) -> Floats | None:
        """Return E[DCG@n] / IDCG@n, which is valid if the ideal does not depend on the order; None with ``ideal=list``."""
        if self.ideal == "list":
            return None
        value = gains(targets, self.gain)
        return share(expected_sums(targets, value, cutoffs, discount_at(self.discount)), self._idcg(targets, value, cutoffs))

    @property
    def knows_random(self) -> bool:
        """Whether `at_random` has a formula: false if the ideal depends on the order."""
        return self.ideal != "list"

    def by_place(self, judged: Judged, cutoff: int) -> ByPlace | None:
        """Divide by the ideal of the rated items, which unrated items do not change; None with ``ideal=list``."""
        if self.ideal == "list":
            return None
        weight, gain = discount_at(self.discount)(np.arange(1, cutoff + 1)), gains(judged, self.gain)
        ideal = self._idcg(judged, gain, (cutoff,))[:, 0]
        return ByPlace("sum", weight, gain, highest_gain(judged, self.gain), scale_of(judged, ideal))

    def _idcg(self, judged: Judged, value: Floats, cutoffs: tuple[int, ...]) -> Floats:
        """Return IDCG at each cut-off, shape (n_users, n_cutoffs); there is only one column with ``ideal=uncut``."""
        if self.ideal == "list":
            return self._compute_idcg(judged, value, cutoffs)
        # The ideal is the same for every ranking of the same ratings.
        key = ("IDCG", self.gain, self.ideal, self.discount, cutoffs)
        return judged.known.once(key, lambda: self._compute_idcg(judged, value, cutoffs))

    def _compute_idcg(self, judged: Judged, value: Floats, cutoffs: tuple[int, ...]) -> Floats:
        bounds = np.asarray(cutoffs if self.ideal != "uncut" else (max(len(value), 1),))
        ideal = np.empty((judged.n_users, len(bounds)))
        weights = discount_at(self.discount)(np.arange(1, int(judged.n_judged.max(initial=0)) + 1))
        if self.ideal == "list":
            fill_retrieved_ideal_sums(value, judged.position, judged.starts, weights, bounds, ideal)
        else:
            python_if_few_rows(fill_ideal_sums, len(value))(value, judged.starts, weights, bounds, ideal)
        return ideal


class HLU(Metric):
    """HLU = 100 Σ_u HL_u / Σ_u HL_u^max, HL_u = Σ_k max(r_k - d, 0) / 2^((k - 1) / (α - 1)), with the true rating r_k at rank k.

    HLU is also called R-score. α is the rank that is seen with half the probability of the first rank, and d is a neutral rating.
    HL_u^max is the HL_u of a ranking of the user's judged items by rating; unjudged items are worth 0. With a cut-off, HL_u and
    HL_u^max are summed down to the cut-off. HLU is a ratio of sums and not a mean of ratios; users with more good ratings therefore
    count more, and there is one value for all users. In data without ratings, every judged item is worth 1. Range [0, 100]; 0 if no
    rating is above d. One publication prints the predicted rating in place of the true rating.
    """

    label = "HLU"
    is_monotone = True
    source = "Breese, Heckerman & Kadie (1998), section 3; Bellogín (2012), eq. 3.8, mended"
    unit = "pooled"
    takes_cutoff = "optionally"
    values_range = "[0, 100]"
    ignores = frozenset({"relevance"})

    alpha: float = Field(5.0, gt=1, description="α, the rank with half the weight of the first")
    neutral: float | None = Field(None, description="d, the neutral rating, above which an item has value; None: mid-scale")

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Divide the users' utilities by those of the ideal rankings."""
        scale = judged.scale
        neutral = (scale.lowest + scale.highest) / 2.0 if self.neutral is None else self.neutral
        worth = np.where(np.isnan(judged.rating), 1.0, np.maximum(judged.rating - neutral, 0.0))
        utility = judged.sums(worth, cutoffs, lambda position: self._weights(position - 1)).sum(axis=0)
        ideal = np.empty((judged.n_users, len(cutoffs)))
        weights = self._weights(np.arange(int(judged.n_judged.max(initial=0))))
        fill_ideal_sums(worth, judged.starts, weights, np.asarray(cutoffs), ideal)
        best = ideal.sum(axis=0)
        return 100.0 * capped_share(utility, best)[np.newaxis]

    def _weights(self, above: Ints) -> Floats:
        return np.asarray(0.5 ** (above / (self.alpha - 1.0)))
