"""Spearman's rank correlation."""

import numpy as np
from pydantic import Field

from recsens.metrics import Floats, Judged, Metric
from recsens.metrics._kernels import rank_correlations
from recsens.metrics._preferences import TIES_MEANING, UNDEFINED_MEANING, Ties, Undefined, every_cutoff, levels, worth_of


class Spearman(Metric):
    """ρ = the correlation between two ranks of a user's test items: in the ranking and by rating. Ties share their mean rank.

    The value is the same for full and condensed rankings, and does not depend on relevance. Range [-1, 1]. A user without two
    different ratings, or without a list, scores 0 (``undefined=neutral``) or is not averaged (``skip``).
    """

    label = "Spearman"
    is_monotone = True
    source = "Spearman (1904); Kendall (1945) for ties"
    compares_judged = True
    values_range = "[-1, 1]"
    takes_cutoff = "never"
    ignores = frozenset({"relevance", "view"})

    ties: Ties = Field("broken", description=TIES_MEANING)
    undefined: Undefined = Field("neutral", description=UNDEFINED_MEANING)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Correlate mid-ranks."""
        correlations = np.empty(judged.n_users)
        rank_correlations(worth_of(judged), levels(judged, self.ties), judged.order_starts, correlations)
        return every_cutoff(correlations, cutoffs, self.undefined, 0)
