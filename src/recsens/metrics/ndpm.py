"""Normalised distance-based performance measure."""

import numpy as np
from pydantic import Field

from recsens.metrics import Floats, Judged, Metric
from recsens.metrics._kernels import count_pairs
from recsens.metrics._preferences import TIES_MEANING, UNDEFINED_MEANING, Ties, Undefined, every_cutoff, levels, ratio, worth_of


class NDPM(Metric):
    """NDPM = (2 C⁻ + C^u) / (2 C_i): the share of pairs of ranked test items with different ratings that are out of order.

    There are C_i pairs with different ratings; C⁻ of them are ranked in the opposite order, and C^u are tied in the ranking. 0 is
    best, and 1 is worst. The value is the same for full and condensed rankings, and does not depend on relevance. A user without
    two different ratings, or without a list, scores 1/2 (``undefined=neutral``) or is not averaged (``skip``).
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
        """Count the pairs in the wrong order, and half of the tied pairs."""
        counts = np.empty((judged.n_users, 4))
        count_pairs(worth_of(judged), levels(judged, self.ties), judged.order_starts, counts)
        agree, against, _, tied = counts.T
        return every_cutoff(ratio(against + tied / 2, agree + against + tied), cutoffs, self.undefined, 0.5)
