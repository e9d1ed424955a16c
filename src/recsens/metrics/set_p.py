"""Precision of the items shown."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.metrics._base import Metric, TakesCutoff
from recsens.metrics._judged import Judged
from recsens.metrics._shares import share


class SetP(Metric):
    """SetP@n = |L^n ∩ R_u| / min(n, |L|): the share of relevant items among those shown, however short the list.

    Range [0, 1]; 0 without a list. Without a cut-off it is trec_eval's ``set_P`` of the whole ranking. `P` divides by n.
    """

    label: ClassVar[str] = "SetP"
    is_monotone: ClassVar[bool] = True
    source: ClassVar[str] = "trec_eval's set_P"
    takes_cutoff: ClassVar[TakesCutoff] = "optionally"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Divide the hits by the number of items shown."""
        return share(judged.hits(cutoffs), np.minimum(judged.listed[:, np.newaxis], np.asarray(cutoffs)))
