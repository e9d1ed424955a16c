"""Average recommendation popularity."""

import numpy as np

from recsens.metrics import Floats, Judged, ListMetric, Lists


class ARP(ListMetric):
    """ARP@n = (1/|L^n|) Σ_{i in L^n} |U_i|, where U_i are the users who rated item i in train.

    Range [0, |U|]; 0 for an empty list. ARP describes a list; it does not say whether popular items are bad.
    """

    label = "ARP"
    source = "Yin et al. (2012); named by Abdollahpouri, Burke & Mobasher (2019)"
    is_descriptive = True
    values_range = "[0, ∞)"
    ignores = frozenset({"relevance"})

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Average the numbers of raters."""
        return lists.means(lists.catalogue.raters.astype(np.float64), cutoffs)
