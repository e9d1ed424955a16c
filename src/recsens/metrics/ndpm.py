"""Normalised distance-based performance measure."""

import numpy as np
from pydantic import Field

from recsens.metrics import Floats, Judged, Metric
from recsens.metrics._kernels import count_pairs
from recsens.metrics._preferences import TIES_MEANING, UNDEFINED_MEANING, Ties, Undefined, every_cutoff, levels, ratio, worth_of


class NDPM(Metric):
    """NDPM = (2 C⁻ + C^u) / (2 C_i): of the pairs of ranked test items with different ratings, the share that is out of order.

    C_i counts these pairs, C⁻ counts the pairs in the opposite order, and C^u counts the pairs that the ranking ties. 0 is best, 1
    worst. The same under both views; relevance plays no part. A user without two different ratings, or without a list, scores 1/2
    (``undefined=neutral``) or is not averaged (``skip``).
    """

    label = "NDPM"
    is_monotone = True
    source = "Yao (1995)"
    compares_judged = True
    higher_is_better = False
    takes_cutoff = "never"
    ignores = frozenset({"relevance", "view"})

    ties: Ties = Field("broken", description=TIES_MEANING)
    undefined: Undefined = Field("neutral", description=UNDEFINED_MEANING)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Count the pairs out of order and half of the tied ones."""
        counts = np.empty((judged.n_users, 4))
        count_pairs(worth_of(judged), levels(judged, self.ties), judged.order_starts, counts)
        agree, against, _, tied = counts.T
        return every_cutoff(ratio(against + tied / 2, agree + against + tied), cutoffs, self.undefined, 0.5)
