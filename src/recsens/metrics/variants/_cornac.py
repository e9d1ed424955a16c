"""Cumulative reciprocal ranks as Cornac defines them."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.metrics import Judged, Metric, TakesCutoff, capped, share


class NCRR(Metric):
    """NCRR@n = Σ_{hits k <= n} 1/k / Σ_{k <= min(n, |R_u|, |L|)} 1/k: the hits' reciprocal ranks as a share of the best sum.

    Range [0, 1]; 0 without relevant items or without a list.
    """

    label: ClassVar[str] = "NCRR"
    is_monotone: ClassVar[bool] = True
    source: ClassVar[str] = "Cornac's NCRR"
    takes_cutoff: ClassVar[TakesCutoff] = "optionally"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Divide the hits' reciprocal ranks by those of a list that begins with as many hits as possible."""
        found = judged.sum_hits(lambda rows: 1 / judged.position[rows], cutoffs)
        most = np.minimum(np.minimum(judged.n_relevant, judged.listed)[:, np.newaxis], np.asarray(cutoffs))
        harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, most.max(initial=0) + 1))])
        return capped(share(found, harmonic[most]), 1.0)
