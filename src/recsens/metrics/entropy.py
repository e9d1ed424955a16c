"""Shannon entropy of the recommended items."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.metrics._base import Ignorable, Unit
from recsens.metrics._judged import Judged
from recsens.metrics._list_metric import ListMetric
from recsens.metrics._lists import Lists


class Entropy(ListMetric):
    """H@n = -Σ_i p_i log2 p_i, where p_i is the share of item i in all lists of n.

    One value for all users, in bits. Range [0, log2 |I|]; 0 if a single item is recommended to everybody, or nothing at all.
    """

    label: ClassVar[str] = "Entropy"
    source: ClassVar[str] = "Shani & Gunawardana (2011)"
    unit: ClassVar[Unit] = "pooled"
    values_range: ClassVar[str] = "[0, ∞)"
    ignores: ClassVar[frozenset[Ignorable]] = frozenset({"relevance"})

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Sum over the items that are recommended."""
        return np.array([[_entropy(lists.counts(n)) for n in cutoffs]])


def _entropy(counts: NDArray[np.int64]) -> float:
    shares = np.sort(counts[counts > 0]) / max(int(counts.sum()), 1)
    return float(-(shares * np.log2(shares)).sum() + 0.0)
