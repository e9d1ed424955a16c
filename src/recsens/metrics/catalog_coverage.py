"""Catalogue coverage."""

import numpy as np

from recsens.metrics import Floats, Judged, ListMetric, Lists


class CatalogCoverage(ListMetric):
    """CC@n = |∪_u L_u^n| / |I|, the share of all items that are among the first n of any user's list.

    I are the items of the filtered data set, including those without train ratings. There is one value for all users. Range [0, 1];
    at most n |U| / |I|.
    """

    label = "CatalogCoverage"
    source = "Ge, Delgado-Battenfeld & Jannach (2010)"
    unit = "pooled"
    ignores = frozenset({"relevance"})

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Count the items recommended to at least one user."""
        return np.array([[np.count_nonzero(lists.counts(n)) / lists.catalogue.n_items for n in cutoffs]])
