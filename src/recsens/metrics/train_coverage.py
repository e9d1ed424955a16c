"""Coverage of the items in the train set."""

import numpy as np

from recsens.metrics import Floats, Judged, ListMetric, Lists


class TrainCoverage(ListMetric):
    """TC@n = |T ∩ ∪_u L_u^n| / |T|, the share of the items T with a train rating that are among the first n of any user's list.

    By contrast, `CatalogCoverage` is a share of all items of the data set. There is one value for all users. Range [0, 1]; 0
    without train ratings.
    """

    label = "TrainCoverage"
    source = "RePlay's Coverage"
    ignores = frozenset({"relevance"})
    unit = "pooled"

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Count the items with train ratings that are recommended to at least one user."""
        is_rated = lists.catalogue.raters > 0
        covered = [np.count_nonzero(lists.counts(n)[is_rated]) for n in cutoffs]
        return np.array([covered]) / max(int(is_rated.sum()), 1)
