"""Gains of grades that weigh, or average, discounted gain otherwise than nDCG does: experiments of trec_eval."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.evaluation import _kernels
from recsens.metrics import WHOLE, Judged, Metric, TakesCutoff
from recsens.metrics._shares import share
from recsens.metrics._whole import at_every


def _gains(judged: Judged) -> NDArray[np.float64]:
    """Return the grade of each judged item, 1 where there are no ratings; a grade below 0 says that nobody has judged the item."""
    return np.maximum(np.nan_to_num(judged.rating, nan=1.0), 0.0)


class BinaryG(Metric):
    """BinG = (1 / |R_u|) Σ_{hits} 1 / log2(2 + m), m the other items above a hit: misses discount, hits do not.

    Range [0, 1]; 0 without relevant items or a list.
    """

    label: ClassVar[str] = "BinG"
    source: ClassVar[str] = "trec_eval's binG"
    takes_cutoff: ClassVar[TakesCutoff] = "never"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Discount each hit by what else stands above it."""
        misses = judged.position - 1 - judged.relevant_above
        hits = judged.sum_hits(lambda rows: 1 / np.log2(2.0 + misses[rows]), (WHOLE,) * len(cutoffs))
        return share(hits, judged.n_relevant[:, np.newaxis])


class GradedG(Metric):
    """GradedG = Σ_k g(k) / log2(2 + C(k) - G(k)) / Σ g: a gain is discounted by how much gain has been missed down to it.

    G(k) sums the gains g of the first k items, C(k) the k best gains of all judged items, each counted as 1 at least. The gain is
    the rating, relevant or not. Range [0, 1]; 0 where nothing gains, as without a list.
    """

    label: ClassVar[str] = "GradedG"
    source: ClassVar[str] = "trec_eval's G"
    takes_cutoff: ClassVar[TakesCutoff] = "never"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Discount by missed gain, user by user."""
        found = np.empty(judged.n_users)
        _kernels.graded_g(_gains(judged), judged.order, judged.order_starts, judged.position, judged.starts, found)
        return at_every(cutoffs, found)


class NDCGAtHits(Metric):
    """nDCGAtHits = (1 / n) Σ_{k: g(k) > 0} DCG@k / IDCG@k, n being the judged items with a gain; those not listed count as the end.

    The gain g is the rating, relevant or not, and the discount that of nDCG. Range [0, 1]; 0 where nothing gains, as without a
    list.
    """

    label: ClassVar[str] = "nDCGAtHits"
    source: ClassVar[str] = "trec_eval's ndcg_rel"
    takes_cutoff: ClassVar[TakesCutoff] = "never"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Average over the positions with a gain, user by user."""
        found = np.empty(judged.n_users)
        _kernels.ndcg_at_hits(_gains(judged), judged.order, judged.order_starts, judged.position, judged.starts, found)
        return at_every(cutoffs, found)


class NDCGAtLevels(Metric):
    """nDCGAtLevels = the mean of DCG@n_l / IDCG@n_l, n_l being the number of judged items with at least the l-th best grade.

    A list that goes on below the last of these depths, by two items at least, adds its whole DCG / IDCG as one more. The gain is
    the rating, relevant or not, and grades without gain are no level. Range [0, 1]; 0 without relevant items or a list.
    """

    label: ClassVar[str] = "nDCGAtLevels"
    source: ClassVar[str] = "trec_eval's Rndcg"
    takes_cutoff: ClassVar[TakesCutoff] = "never"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Average over the depths at which the ideal gain falls, user by user."""
        found = np.empty(judged.n_users)
        _kernels.ndcg_at_levels(
            *(_gains(judged), judged.order, judged.order_starts, judged.position, judged.starts, judged.listed, found)
        )
        return at_every(cutoffs, np.where(judged.n_relevant > 0, found, 0.0))
