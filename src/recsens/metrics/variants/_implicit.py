"""Precision over all users together, and area under ROC over a catalogue, as implicit defines them."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.errors import DesignError
from recsens.metrics import Judged, Metric, Unit, share


class PooledCappedRecall(Metric):
    """PooledCappedR@n = Σ_u |L_u^n ∩ R_u| / Σ_u min(n, |R_u|): one value, in which users with more relevant items weigh more.

    Range [0, 1]; NaN without relevant items.
    """

    label: ClassVar[str] = "PooledCappedR"
    is_monotone: ClassVar[bool] = True
    source: ClassVar[str] = "implicit's precision"
    unit: ClassVar[Unit] = "pooled"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Divide all users' hits by the most that their lists of n could contain."""
        most = np.minimum(judged.n_relevant[:, np.newaxis], np.asarray(cutoffs)).sum(axis=0, keepdims=True)
        hits = judged.hits(cutoffs).sum(axis=0, keepdims=True)
        return np.where(most > 0, share(hits, most), np.nan)


class LAUCOfCatalogue(Metric):
    """LAUC@n = [Σ_{hits k<=n} (m - m_k) + (h + R) (N - m) / 2] / (R N), N = items - R: the AUC if items below n are unordered.

    There are R relevant items and N other items. m_k of the others are above a hit at k; the first n items contain h hits and m
    others; a list shorter than n is filled up with others. All items of the catalogue count, even the user's train items, which are
    among the others. Range [0, 1]; 0 without relevant items. Without a list, it is about 1/2 if n is far below the size of the
    catalogue.
    """

    label: ClassVar[str] = "LAUCOfCatalogue"
    is_monotone: ClassVar[bool] = True
    source: ClassVar[str] = "implicit's auc"

    items: int = Field(
        0,
        ge=0,
        description=(
            "number of items in the catalogue, which is the number of columns of the matrix; 0 counts those in the "
            "user's list and test set"
        ),
    )

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """For each hit, count the non-hits below it.

        Raises DesignError if more items are relevant to a user than the catalogue has.
        """
        n_relevant = judged.n_relevant[:, np.newaxis]
        ranked = np.diff(judged.order_starts)
        n_others = (self.items or (judged.listed + judged.n_judged - ranked)[:, np.newaxis]) - n_relevant
        if self.items and (n_others < 1).any():
            raise DesignError(
                f"a catalogue of {self.items:,} items is too small: {judged.n_relevant.max():,} items are relevant to one user",
                allowed="the number of all items, train items included",
            )
        hits = judged.hits(cutoffs)
        misses = np.asarray(cutoffs) - hits
        above = (judged.position - 1 - judged.relevant_above).astype(np.float64)
        in_order = hits * misses - judged.sum_hits(lambda rows: above[rows], cutoffs)
        return share(in_order + (hits + n_relevant) * (n_others - misses) / 2, n_relevant * n_others)
