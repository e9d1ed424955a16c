"""Coverage of the items in the train set."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.metrics._base import Ignorable, Unit
from recsens.metrics._judged import Judged
from recsens.metrics._list_metric import ListMetric
from recsens.metrics._lists import Lists


class TrainCoverage(ListMetric):
    """TC@n = |T ∩ ∪_u L_u^n| / |T|, the share of the items T with a train rating that are among the first n of any user's list.

    `CatalogCoverage` is the share of all items of the data set. One value for all users. Range [0, 1]; 0 without train ratings.
    """

    label: ClassVar[str] = "TrainCoverage"
    source: ClassVar[str] = "RePlay's Coverage"
    ignores: ClassVar[frozenset[Ignorable]] = frozenset({"relevance"})
    unit: ClassVar[Unit] = "pooled"

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Count the rated items that are recommended to anybody."""
        is_rated = lists.catalogue.raters > 0
        covered = [np.count_nonzero(lists.counts(n)[is_rated]) for n in cutoffs]
        return np.array([covered]) / max(int(is_rated.sum()), 1)
