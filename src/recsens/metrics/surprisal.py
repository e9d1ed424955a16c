"""Normalised self-information of a list of n."""

import numpy as np

from recsens.metrics import Floats, Judged, ListMetric, Lists
from recsens.metrics._item_novelty import inverse_user_frequency


class Surprisal(ListMetric):
    """Surprisal@n = (1/n) Σ_{i in L^n} log2(|U| / max(|U_i|, 1)) / log2 |U|, where U_i are the users who rated item i in train.

    U are the users with a train rating. An item that at most one user rated has surprisal 1. For a list of n items, Surprisal is
    `MIUF` divided by its maximum; the divisor is n even if the list is shorter. Range [0, 1]; 0 for an empty list, and if only one
    user has train ratings.
    """

    label = "Surprisal"
    source = "Zhou et al. (2010); normalised as RePlay's Surprisal"
    ignores = frozenset({"relevance"})

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Average over n ranks; an empty rank counts as 0."""
        most = np.log2(max(lists.catalogue.n_active, 2))
        shown = np.minimum(lists.lengths[:, np.newaxis], cutoffs)
        return np.asarray(lists.means(inverse_user_frequency(lists.catalogue) / most, cutoffs) * shown / cutoffs)
