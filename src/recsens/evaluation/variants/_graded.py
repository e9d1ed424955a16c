"""Graded gains of trec_eval's experimental measures, which weigh or average nDCG differently."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.evaluation import _kernels
from recsens.metrics import WHOLE, Judged, Metric, TakesCutoff, at_every, share


def _gains(judged: Judged) -> NDArray[np.float64]:
    """Return the grade of each judged item, 1 without ratings; a grade below 0 means that the item is not judged."""
    return np.maximum(np.nan_to_num(judged.rating, nan=1.0), 0.0)


class BinaryG(Metric):
    """BinG = (1 / |R_u|) Σ_{hits} 1 / log2(2 + m), where m counts the misses above a hit: misses discount, hits do not.

    Range [0, 1]; 0 without relevant items or a list.
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

    G(k) sums the gains g of the first k items, and C(k) the k best gains of all judged items, each counted as at least 1. The gain
    is the rating, relevant or not. Range [0, 1]; 0 if no listed item has a gain, or if there is no list.
    """

    label: ClassVar[str] = "GradedG"
    source: ClassVar[str] = "trec_eval's G"
    takes_cutoff: ClassVar[TakesCutoff] = "never"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Discount by missed gain, user by user."""
        values = np.empty(judged.n_users)
        _kernels.graded_g(_gains(judged), judged.order, judged.order_starts, judged.position, judged.starts, values)
        return at_every(cutoffs, values)


class NDCGAtHits(Metric):
    """nDCGAtHits = (1 / n) Σ_{k: g(k) > 0} DCG@k / IDCG@k over the n judged items with a gain; unlisted ones come last.

    The gain g is the rating, relevant or not. The discount is that of nDCG. Range [0, 1]; 0 if no listed item has a gain, or if
    there is no list.
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
    """nDCGAtLevels = mean of DCG@n_l / IDCG@n_l, where n_l judged items have at least the l-th best grade.

    If a list continues for two or more items below the last of these depths, DCG / IDCG of the whole list is averaged too. The gain
    is the rating, relevant or not; grades without gain are not levels. Range [0, 1]; 0 without relevant items or a list.
    """

    label: ClassVar[str] = "nDCGAtLevels"
    is_monotone: ClassVar[bool] = True
    source: ClassVar[str] = "trec_eval's Rndcg"
    takes_cutoff: ClassVar[TakesCutoff] = "never"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Average over the depths at which the ideal gain falls, user by user."""
        values = np.empty(judged.n_users)
        _kernels.ndcg_at_levels(
            *(_gains(judged), judged.order, judged.order_starts, judged.position, judged.starts, judged.listed, values)
        )
        return at_every(cutoffs, np.where(judged.n_relevant > 0, values, 0.0))
