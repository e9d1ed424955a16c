"""Distance between the lists of different users."""

import numpy as np

from recsens.metrics import Floats, Ints, Judged, ListMetric, Lists


class InterUserDistance(ListMetric):
    """h@n = the mean of 1 - |L_u^n ∩ L_v^n| / n over all pairs of users u != v with a list: how personal recommendations are.

    The divisor is n, as in the source; items that are missing in a short list therefore count as different. There is one value for
    all users. Range [0, 1]: 0 if all users get the same n items, 1 if no two users have an item in common; NaN with fewer than two
    lists.
    """

    label = "InterUserDistance"
    source = "Zhou et al. (2010), inter-list distance, 'personalization'; Bellogín (2012), section 3.2.3"
    unit = "pooled"
    ignores = frozenset({"relevance"})
    also_called = ("personalisation", "personalization", "inter_list_distance")

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Count the pairs of users that share each item; the sum over pairs needs only these counts."""
        n_lists = int(np.count_nonzero(lists.lengths))
        pairs = n_lists * (n_lists - 1) // 2
        return np.array([[_distance(lists.counts(n), n, pairs) for n in cutoffs]])


def _distance(counts: Ints, n: int, pairs: int) -> float:
    # Compute in integers until the division; the value then does not depend on the order of the sum.
    shared = int((counts * (counts - 1) // 2).sum())
    return 1.0 - shared / (n * pairs) if pairs else float("nan")
