"""Depth of the first judged items in the full ranking."""

import numpy as np

from recsens.metrics import Floats, Judged, Metric


class JudgedDepth(Metric):
    """JudgedDepth@n = the position in the full ranking of the n-th item in the condensed ranking.

    Range [n, ∞); always n under the condensed view. A user with fewer than n ranked judged items is not averaged. Means at two
    cut-offs, or of two systems that rank different items, may therefore be over different users.
    """

    label = "JudgedDepth"
    is_monotone = True
    source = "Cañamares, Castells & Moffat (2020), Fig. 5"
    values_range = "[1, ∞)"
    higher_is_better = False
    is_descriptive = True
    ignores = frozenset({"relevance"})

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Look up each user's n-th ranked row."""
        n_ranked = np.diff(judged.order_starts)
        depths = np.full((judged.n_users, len(cutoffs)), np.nan)
        for column, cutoff in enumerate(cutoffs):
            users = np.flatnonzero(n_ranked >= cutoff)
            depths[users, column] = judged.position[judged.order[judged.order_starts[users] + cutoff - 1]]
        return depths
