"""Expected popularity complement."""

from typing import Literal

import numpy as np
from pydantic import Field

from recsens.metrics import Floats, Judged, ListMetric, Lists


class EPC(ListMetric):
    """EPC@n = Σ_{k<=n} D(k) (1 - |U_i| / |U|) / Σ_{k<=n} D(k), where U_i are the users who rated, in train, the item at rank k.

    U are the users with a train rating. An item without train ratings has novelty 1. A list shorter than n is averaged over its own
    length. Range [0, 1]; 0 for an empty list. Relevance does not matter.
    """

    label = "EPC"
    source = "Vargas & Castells (2011); without relevance, as RankSys computes it"
    ignores = frozenset({"relevance"})

    discount: Literal["none", "log2"] = Field("none", description="D(k): 1 (none), or 1 / log2(k + 1) (log2)")

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Average the complements of popularity."""
        novelty = 1.0 - lists.catalogue.raters / max(lists.catalogue.n_active, 1)
        ranks = np.arange(1, int(lists.lengths.max(initial=0)) + 1)
        return lists.means(novelty, cutoffs, None if self.discount == "none" else 1.0 / np.log2(ranks + 1.0))
