"""Mean self-information."""

from recsens.metrics import Floats, Judged, ListMetric, Lists
from recsens.metrics._item_novelty import information


class MSI(ListMetric):
    """MSI@n = (1/|L^n|) Σ_{i in L^n} log2(|U| / |U_i|), where U_i are the users who rated item i in train.

    U are the users with a train rating. An item without train ratings is treated like the rarest rated item. Range [0, log2 |U|]; 0
    for an empty list.
    """

    label = "MSI"
    source = "Zhou et al. (2010), 'surprisal'"
    values_range = "[0, ∞)"
    ignores = frozenset({"relevance"})

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Average the information of each item."""
        return lists.means(information(lists.catalogue.raters, lists.catalogue.n_active), cutoffs)
