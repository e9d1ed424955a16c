"""Graded gains of trec_eval's experimental measures, which weigh or average nDCG differently."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.metrics import WHOLE, Judged, Metric, TakesCutoff, at_every, share
from recsens.metrics.variants import _kernels


def _gains(judged: Judged) -> NDArray[np.float64]:
    """Return the grade of each judged item, 1 without ratings; a grade below 0 means that the item is not judged."""
    return np.maximum(np.nan_to_num(judged.rating, nan=1.0), 0.0)


class BinaryG(Metric):
    """BinG = (1 / |R_u|) Σ_{hits} 1 / log2(2 + m): each hit is discounted by the number m of misses above it.

    Range [0, 1]; 0 without relevant items or without a list.
    """

    label: ClassVar[str] = "BinG"
    is_monotone: ClassVar[bool] = True
    source: ClassVar[str] = "trec_eval's binG"
    takes_cutoff: ClassVar[TakesCutoff] = "never"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Discount each hit by the number of misses above."""
        misses = judged.position - 1 - judged.relevant_above
        hits = judged.sum_hits(lambda rows: 1 / np.log2(2.0 + misses[rows]), (WHOLE,) * len(cutoffs))
        return share(hits, judged.n_relevant[:, np.newaxis])


class GradedG(Metric):
    """GradedG = Σ_k g(k) / log2(2 + C(k) - G(k)) / Σ g: each gain is discounted by the gain missed above it.

    G(k) is the sum of the gains g of the first k items; C(k) is the sum of the k highest gains of all judged items, where each gain
    counts as at least 1. The gain is the rating, relevant or not. Range [0, 1]; 0 if no listed item has a gain, or if there is no
    list.
    """

    label: ClassVar[str] = "GradedG"
    source: ClassVar[str] = "trec_eval's G"
    takes_cutoff: ClassVar[TakesCutoff] = "never"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Discount each gain by the gain missed above it, user by user."""
        values = np.empty(judged.n_users)
        _kernels.graded_g(_gains(judged), judged.order, judged.order_starts, judged.position, judged.starts, values)
        return at_every(cutoffs, values)


class NDCGAtHits(Metric):
    """nDCGAtHits = (1 / n) Σ_{k: g(k) > 0} DCG@k / IDCG@k over the n judged items with a gain; unlisted items come last.

    The gain g is the rating, relevant or not. The discount is that of nDCG, 1 / log2(k + 1). Range [0, 1]; 0 if no listed item has
    a gain, or if there is no list.
    """

    label: ClassVar[str] = "nDCGAtHits"
    source: ClassVar[str] = "trec_eval's ndcg_rel"
    takes_cutoff: ClassVar[TakesCutoff] = "never"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Average over the positions with a gain, user by user."""
        values = np.empty(judged.n_users)
        _kernels.ndcg_at_hits(_gains(judged), judged.order, judged.order_starts, judged.position, judged.starts, values)
        return at_every(cutoffs, values)


class NDCGAtLevels(Metric):
    """nDCGAtLevels = the mean of DCG@n_l / IDCG@n_l over grades l; n_l judged items have grade l or a higher grade.

    If the list has two or more items below the last of these depths, the DCG / IDCG of the whole list is included in the mean. The
    gain is the rating, relevant or not; grades without a gain do not count. Range [0, 1]; 0 without relevant items or without a
    list.
    """

    label: ClassVar[str] = "nDCGAtLevels"
    is_monotone: ClassVar[bool] = True
    source: ClassVar[str] = "trec_eval's Rndcg"
    takes_cutoff: ClassVar[TakesCutoff] = "never"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Average over the depths at which the ideal gain decreases, user by user."""
        values = np.empty(judged.n_users)
        _kernels.ndcg_at_levels(
            *(_gains(judged), judged.order, judged.order_starts, judged.position, judged.starts, judged.listed, values)
        )
        return at_every(cutoffs, np.where(judged.n_relevant > 0, values, 0.0))
