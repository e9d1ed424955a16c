"""Average precision correlation."""

import numpy as np
from pydantic import Field

from recsens.metrics import Floats, Judged, Metric
from recsens.metrics._kernels import average_agreements, invert
from recsens.metrics._preferences import UNDEFINED_MEANING, Undefined, every_cutoff, ideal_ranks


class TauAP(Metric):
    """τ_AP = (2 / (N - 1)) Σ_{i=2..N} C(i) / (i - 1) - 1 for a user's N ranked test items: Kendall's τ with weight on the top.

    C(i) is the number of items above rank i that also have a higher place by rating than the item at rank i. Ties in rating are
    broken as in the ranking, so τ_AP is 1 if all ratings are equal. ``symmetric`` takes the mean of this value and of the value
    with ranking and ratings exchanged. The value is the same for full and condensed rankings, and does not depend on relevance.
    Range [-1, 1]. A user without two items scores 0 (``undefined=neutral``) or is not averaged (``skip``).
    """

    label = "TauAP"
    is_monotone = True
    source = "Yilmaz, Aslam & Robertson (2008)"
    compares_judged = True
    values_range = "[-1, 1]"
    takes_cutoff = "never"
    ignores = frozenset({"relevance", "view"})

    symmetric: bool = Field(default=False, description="whether to take the mean over both roles")
    undefined: Undefined = Field("neutral", description=UNDEFINED_MEANING)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Average over ranks the share of items above that are also above by rating."""
        ranks, starts = ideal_ranks(judged), judged.order_starts
        means = np.empty(judged.n_users)
        average_agreements(ranks, starts, means)
        if self.symmetric:
            inverse, swapped = np.empty_like(ranks), np.empty_like(means)
            invert(ranks, starts, inverse)
            average_agreements(inverse, starts, swapped)
            means = (means + swapped) / 2
        return every_cutoff(2 * means - 1, cutoffs, self.undefined, 0)
