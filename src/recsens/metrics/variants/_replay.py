"""Area under ROC of the top of a list, as RePlay defines it."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.metrics import Judged, Metric, share


class TopAUC(Metric):
    """TopAUC@n = P(i above j) for a relevant item i and another item j among the first n items; items below n do not count.

    Range [0, 1]; 0 if none of the first n items is a hit, and 1 if all are hits. A single hit at the first position scores 1,
    whatever the number of relevant items.
    """

    label: ClassVar[str] = "TopAUC"
    source: ClassVar[str] = "RePlay's RocAuc"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Count the correctly ordered pairs of a hit and a miss in the top."""
        hits = judged.hits(cutoffs)
        misses = np.minimum(judged.listed[:, np.newaxis], np.asarray(cutoffs)) - hits
        above = (judged.position - 1 - judged.relevant_above).astype(np.float64)
        in_order = hits * misses - judged.sum_hits(lambda rows: above[rows], cutoffs)
        return np.where((hits > 0) & (misses == 0), 1.0, share(in_order, hits * misses))
