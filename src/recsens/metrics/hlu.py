"""Half-life utility."""

import numpy as np
from pydantic import Field

from recsens.metrics import Floats, Ints, Judged, Metric, capped_share
from recsens.metrics._kernels import ideal_sums


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
        ideal_sums(worth, judged.starts, weights, np.asarray(cutoffs), ideal)
        best = ideal.sum(axis=0)
        return 100.0 * capped_share(utility, best)[np.newaxis]

    def _weights(self, above: Ints) -> Floats:
        return np.asarray(0.5 ** (above / (self.alpha - 1.0)))
