"""Precision of the items shown."""

import numpy as np

from recsens.metrics import Floats, Judged, Metric, share


class SetP(Metric):
    """SetP@n = |L^n ∩ R_u| / min(n, |L|): the share of relevant items among the shown items, however short the list is.

    Range [0, 1]; 0 without a list. Without a cut-off, SetP is trec_eval's ``set_P`` of the whole ranking. By contrast, `P` divides
    by n.
    """

    label = "SetP"
    is_monotone = True
    source = "trec_eval's set_P"
    takes_cutoff = "optionally"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Divide the hits by the number of items shown."""
        return share(judged.hits(cutoffs), np.minimum(judged.listed[:, np.newaxis], np.asarray(cutoffs)))
