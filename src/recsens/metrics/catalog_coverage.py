"""Catalogue coverage."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.metrics._base import Ignorable, Unit
from recsens.metrics._judged import Judged
from recsens.metrics._list_metric import ListMetric
from recsens.metrics._lists import Lists


class CatalogCoverage(ListMetric):
    """CC@n = |∪_u L_u^n| / |I|, the share of all items that are among the first n of any user's list.

    I are the items of the data set as filtered, rated in train or not. One value for all users. Range [0, 1]; at most n |U| / |I|.
    """

    label: ClassVar[str] = "CatalogCoverage"
    source: ClassVar[str] = "Ge, Delgado-Battenfeld & Jannach (2010)"
    unit: ClassVar[Unit] = "pooled"
    ignores: ClassVar[frozenset[Ignorable]] = frozenset({"relevance"})

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Count the items that are recommended to anybody."""
        return np.array([[np.count_nonzero(lists.counts(n)) / lists.catalogue.n_items for n in cutoffs]])
