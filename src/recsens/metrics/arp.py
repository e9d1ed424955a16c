"""Average recommendation popularity."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.metrics._base import Ignorable
from recsens.metrics._judged import Judged
from recsens.metrics._list_metric import ListMetric
from recsens.metrics._lists import Lists


class ARP(ListMetric):
    """ARP@n = (1/|L^n|) Σ_{i in L^n} |U_i|, U_i being the users who rated item i in train.

    Range [0, |U|]; 0 for an empty list. It describes a list and does not say whether popular items are bad.
    """

    label: ClassVar[str] = "ARP"
    source: ClassVar[str] = "Yin et al. (2012); named by Abdollahpouri, Burke & Mobasher (2019)"
    is_descriptive: ClassVar[bool] = True
    values_range: ClassVar[str] = "[0, ∞)"
    ignores: ClassVar[frozenset[Ignorable]] = frozenset({"relevance"})

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Average the numbers of raters."""
        return lists.means(lists.catalogue.raters.astype(np.float64), cutoffs)
