"""Recall."""

import numpy as np

from recsens.metrics import Floats, Judged, Metric, share
from recsens.metrics._random_order import expected_hits


class R(Metric):
    """R@n = |L^n ∩ R_u| / |R_u|: the share of the user's relevant items that are among the first n.

    All relevant items count, even if the system did not rank them. Range [0, 1], at most min(n, |R_u|) / |R_u|; 0 without relevant
    items or without a list. Without a cut-off, R is the recall of the whole ranking, which is trec_eval's ``set_recall``.
    """

    label = "R"
    is_monotone = True
    source = "Valcarce et al. (2018), eq. 2"
    takes_cutoff = "optionally"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Divide the hits by the number of relevant items."""
        return share(judged.hits(cutoffs), judged.n_relevant[:, np.newaxis])

    def at_random(self, targets: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Return E[R@n] = |R_u ∩ T_u| / |R_u| · min(n, |T_u|) / |T_u|."""
        return share(expected_hits(targets, cutoffs), targets.n_relevant[:, np.newaxis])
