"""Kendall's rank correlation."""

from typing import Literal

import numpy as np
from pydantic import Field

from recsens.metrics import Floats, Judged, Metric
from recsens.metrics._kernels import count_pairs
from recsens.metrics._preferences import TIES_MEANING, UNDEFINED_MEANING, Ties, Undefined, every_cutoff, levels, ratio, worth_of


class KendallTau(Metric):
    """τ_a = (C - D) / (N (N - 1) / 2), τ_b = (C - D) / sqrt((C + D + T_L) (C + D + T_r)), over a user's N ranked test items.

    C pairs are in the order of their ratings, and D in the opposite order; T_L pairs are tied only in the ranking, and T_r only in
    rating. The value is the same for full and condensed rankings, and does not depend on relevance. Range [-1, 1]; τ_a cannot reach
    -1 or 1 if ratings are tied. A user without two items (for τ_b, without two different ratings) scores 0 (``undefined=neutral``)
    or is not averaged (``skip``).
    """

    label = "KendallTau"
    is_monotone = True
    source = "Kendall (1938, 1945)"
    compares_judged = True
    values_range = "[-1, 1]"
    takes_cutoff = "never"
    ignores = frozenset({"relevance", "view"})

    variant: Literal["a", "b"] = Field("b", description="whether tied pairs count against the correlation (a) or are excluded (b)")
    ties: Ties = Field("broken", description=TIES_MEANING)
    undefined: Undefined = Field("neutral", description=UNDEFINED_MEANING)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Count each user's concordant, discordant and tied pairs."""
        counts = np.empty((judged.n_users, 4))
        count_pairs(worth_of(judged), levels(judged, self.ties), judged.order_starts, counts)
        agree, against, same_rating, same_level = counts.T
        n = np.diff(judged.order_starts)
        if self.variant == "a":
            pairs = n * (n - 1) / 2
        else:
            pairs = np.sqrt((agree + against + same_rating) * (agree + against + same_level))
        return every_cutoff(ratio(agree - against, pairs), cutoffs, self.undefined, 0)
