"""Average reciprocal hit rank."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.metrics._base import Metric, TakesCutoff
from recsens.metrics._judged import Judged


class ARHR(Metric):
    """ARHR@n = Σ_{hits k <= n} 1 / k: each relevant item among the first n counts the inverse of its position.

    For a user with one relevant item it equals RR. Several hits may add up to more than 1: range [0, H_n], H_n = 1 + 1/2 + ... +
    1/n; 0 without relevant items or a list.
    """

    label: ClassVar[str] = "ARHR"
    is_monotone: ClassVar[bool] = True
    source: ClassVar[str] = "Deshpande & Karypis (2004)"
    values_range: ClassVar[str] = "[0, H_n]"
    takes_cutoff: ClassVar[TakesCutoff] = "optionally"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Sum the inverse positions of relevant items."""
        return judged.sum_hits(lambda rows: 1.0 / judged.position[rows], cutoffs)
