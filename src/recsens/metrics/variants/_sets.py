"""Whole lists treated as sets, without an order."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.metrics import WHOLE, Judged, Metric, TakesCutoff, share


class SetAP(Metric):
    """SetAP = |L ∩ R_u|² / (|L| |R_u|), precision times recall of the whole list.

    Range [0, 1]; 0 without relevant items or without a list.
    """

    label: ClassVar[str] = "SetAP"
    is_monotone: ClassVar[bool] = True
    source: ClassVar[str] = "trec_eval's set_map"
    takes_cutoff: ClassVar[TakesCutoff] = "never"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Divide the squared number of hits by the product of the numbers of shown and relevant items."""
        return share(judged.hits((WHOLE,) * len(cutoffs)) ** 2, (judged.listed * judged.n_relevant)[:, np.newaxis])


class SetRelativePrecision(Metric):
    """SetRelP = |L ∩ R_u| / min(|L|, |R_u|): precision as a share of the best value for a list of this length.

    Range [0, 1]; 0 without relevant items or without a list.
    """

    label: ClassVar[str] = "SetRelP"
    is_monotone: ClassVar[bool] = True
    source: ClassVar[str] = "trec_eval's set_relative_P"
    takes_cutoff: ClassVar[TakesCutoff] = "never"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Divide the hits by the number of possible hits."""
        return share(judged.hits((WHOLE,) * len(cutoffs)), np.minimum(judged.listed, judged.n_relevant)[:, np.newaxis])
