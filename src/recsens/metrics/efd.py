"""Expected free discovery."""

from recsens.metrics import Floats, Judged, ListMetric, Lists
from recsens.metrics._item_novelty import information


class EFD(ListMetric):
    """EFD@n = (1/|L^n|) Σ_{i in L^n} -log2(|U_i| / Σ_j |U_j|), where U_i are the users who rated item i in train.

    EFD is `MSI` with shares of ratings in place of shares of users. An item without train ratings is treated like the rarest item
    with ratings. Range [0, log2 of the number of train ratings]; 0 for an empty list.
    """

    label = "EFD"
    source = "Vargas & Castells (2011); without relevance and discount, 'FD' of RankSys"
    values_range = "[0, ∞)"
    ignores = frozenset({"relevance"})

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Average the information of the listed items."""
        raters = lists.catalogue.raters
        return lists.means(information(raters, int(raters.sum())), cutoffs)
