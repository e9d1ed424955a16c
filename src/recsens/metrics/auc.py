"""Area under the ROC curve."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.metrics._base import Metric, TakesCutoff
from recsens.metrics._judged import Judged
from recsens.metrics._kernels import count_pairs
from recsens.metrics._preferences import (
    TIES_MEANING,
    UNDEFINED_MEANING,
    Ties,
    Undefined,
    every_cutoff,
    levels,
    ratio,
)


class AUC(Metric):
    """AUC = P(L puts i above j) + P(i and j tied) / 2 for a relevant i and a judged non-relevant j, both ranked.

    The same under both views. Judged items that are not ranked form no pair. Range [0, 1]. A user without such a
    pair, as without a list, measures 1/2 (``undefined=neutral``) or nothing (``skip``).
    """

    label: ClassVar[str] = "AUC"
    source: ClassVar[str] = "Hanley & McNeil (1982); by user, Rendle et al. (2009)"
    compares_judged: ClassVar[bool] = True
    takes_cutoff: ClassVar[TakesCutoff] = "never"

    ties: Ties = Field("broken", description=TIES_MEANING)
    undefined: Undefined = Field("neutral", description=UNDEFINED_MEANING)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Count the pairs in order, and half of the tied ones."""
        counts = np.empty((judged.n_users, 4))
        is_relevant = judged.is_relevant[judged.order].astype(np.float64)
        count_pairs(is_relevant, levels(judged, self.ties), judged.order_starts, counts)
        above, below, _, tied = counts.T
        return every_cutoff(ratio(above + tied / 2, above + below + tied), cutoffs, self.undefined, 0.5)
