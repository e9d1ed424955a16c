"""How popular the recommended items are.

ARP: Average recommendation popularity.
APLT: Share of the long tail.
PopularityLift: Popularity lift.
"""

import numpy as np
from pydantic import Field

from recsens.metrics import Floats, Judged, ListMetric, Lists, share


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
        own = share(sums, items.profile_sizes, np.nan)
        lift = lists.means(items.raters.astype(np.float64), cutoffs) / own[lists.users][:, np.newaxis] - 1.0
        return np.where((lists.lengths > 0)[:, np.newaxis], lift, np.nan)
