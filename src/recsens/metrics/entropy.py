"""Shannon entropy of the recommended items."""

import numpy as np

from recsens.metrics import Floats, Ints, Judged, ListMetric, Lists


class Entropy(ListMetric):
    """H@n = -Σ_i p_i log2 p_i, where p_i is the share of item i among the first n items of all lists together.

    There is one value for all users, in bits. Range [0, log2 |I|]; 0 if a single item is recommended to all users, or if no item is
    recommended.
    """

    label = "Entropy"
    source = "Shani & Gunawardana (2011)"
    unit = "pooled"
    values_range = "[0, ∞)"
    ignores = frozenset({"relevance"})

    def measure_lists(self, lists: Lists, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Sum over the recommended items."""
        return np.array([[_entropy(lists.counts(n)) for n in cutoffs]])


def _entropy(counts: Ints) -> float:
    shares = np.sort(counts[counts > 0]) / max(int(counts.sum()), 1)
    return float(-(shares * np.log2(shares)).sum() + 0.0)
