"""Recall and F1 of all users together, as computed by programs that add up counts."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.metrics import Judged, Metric, Unit, share


class PooledRecall(Metric):
    """PooledR@n = Σ_u |L_u^n ∩ R_u| / Σ_u |R_u|: one value, in which users with more relevant items weigh more.

    Range [0, 1]; NaN without relevant items.
    """

    label: ClassVar[str] = "PooledR"
    is_monotone: ClassVar[bool] = True
    source: ClassVar[str] = "Cremonesi, Koren & Turrin (2010), whose recall counts all test items together"
    unit: ClassVar[Unit] = "pooled"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Divide all users' hits by all their relevant items."""
        n_relevant = judged.n_relevant.sum()
        hits = judged.hits(cutoffs).sum(axis=0, keepdims=True)
        return hits / n_relevant if n_relevant else np.full_like(hits, np.nan)


class F1OfMeans(Metric):
    """F1OfMeans@n = 2 P R / (P + R) of the mean precision P@n and the mean recall R@n, not the mean of the users' F1.

    Range [0, 1]; 0 if both means are 0, NaN without users.
    """

    label: ClassVar[str] = "F1OfMeans"
    is_monotone: ClassVar[bool] = True
    source: ClassVar[str] = "F1 as computed from printed means of precision and recall"
    unit: ClassVar[Unit] = "pooled"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Average precision and recall first."""
        if judged.n_users == 0:
            return np.full((1, len(cutoffs)), np.nan)
        hits = judged.hits(cutoffs)
        precision = (hits / np.asarray(cutoffs)).mean(axis=0, keepdims=True)
        recall = share(hits, judged.n_relevant[:, np.newaxis]).mean(axis=0, keepdims=True)
        return share(2 * precision * recall, precision + recall)
