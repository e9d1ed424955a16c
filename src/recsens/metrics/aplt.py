"""Share of the long tail."""

import numpy as np
from pydantic import Field

from recsens.metrics import Floats, Judged, ListMetric, Lists


class APLT(ListMetric):
    """APLT@n = |L^n ∩ T| / |L^n|, where the tail T has the ⌊t m⌋ (at least one) least-rated of the m items with a train rating.

    Among items with the same number of ratings, the item with the lower index enters the tail first. Items without train ratings
    are not in the tail. Range [0, 1]; 0 for an empty list. APLT describes a list; it does not say whether popular items are bad.
    """

    label = "APLT"
    source = "Abdollahpouri, Burke & Mobasher (2019); RecBole's TailPercentage"
    ignores = frozenset({"relevance"})
    is_descriptive = True

    tail: float = Field(0.8, gt=0, le=1, description="t: share of the rated items that are in the tail")

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Compute the share of listed items that are in the tail."""
        raters = lists.catalogue.raters
        rated = np.flatnonzero(raters)
        fewest_first = rated[np.argsort(raters[rated], kind="stable")]
        in_tail = np.zeros(len(raters))
        in_tail[fewest_first[: max(int(len(rated) * self.tail), 1)]] = 1.0
        return lists.means(in_tail, cutoffs)
