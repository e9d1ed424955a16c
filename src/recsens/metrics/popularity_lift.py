"""Popularity lift."""

import numpy as np

from recsens.metrics import Floats, Judged, ListMetric, Lists


class PopularityLift(ListMetric):
    """PL@n = (ARP@n - p) / p, where p is the mean popularity |U_i| of the items in the user's own train profile.

    The lift shows how much more popular the recommended items are than the items in the user's profile; 0 means equally popular.
    Range [-1, ∞). Users without train ratings or without a list have no lift and are left out of the average. The paper computes
    the lift of a group's average; here each user has a separate lift.
    """

    label = "PopularityLift"
    source = "Abdollahpouri et al. (2020)"
    is_descriptive = True
    values_range = "[-1, ∞)"
    ignores = frozenset({"relevance"})

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Compare the popularity of the lists with the popularity of the profiles."""
        items = lists.catalogue
        sums = np.bincount(items.user, weights=items.raters[items.item], minlength=items.n_users)
        own = np.full(items.n_users, np.nan)
        np.divide(sums, items.profile_sizes, out=own, where=items.profile_sizes > 0)
        lift = lists.means(items.raters.astype(np.float64), cutoffs) / own[lists.users][:, np.newaxis] - 1.0
        return np.where((lists.lengths > 0)[:, np.newaxis], lift, np.nan)
