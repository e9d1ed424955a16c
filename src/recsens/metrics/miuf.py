"""Mean inverse user frequency."""

from recsens.metrics import Floats, Judged, ListMetric, Lists
from recsens.metrics._item_novelty import inverse_user_frequency


class MIUF(ListMetric):
    """MIUF@n = (1/|L^n|) Σ_{i in L^n} log2(|U| / max(|U_i|, 1)), where U_i are the users who rated item i in train.

    U are the users with a train rating. An item without train ratings is treated as if one user had rated it. `MSI` differs only in
    that it treats such an item like the rarest rated item. Range [0, log2 |U|]; 0 for an empty list.
    """

    label = "MIUF"
    source = "Zhou et al. (2010), 'surprisal'; RecTools' MeanInvUserFreq"
    ignores = frozenset({"relevance"})
    values_range = "[0, ∞)"

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Average the information of each item."""
        return lists.means(inverse_user_frequency(lists.catalogue), cutoffs)
