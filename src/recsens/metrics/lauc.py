"""Limited area under the ROC curve."""

import numpy as np
from pydantic import Field

from recsens.metrics import Floats, Judged, Metric
from recsens.metrics._preferences import UNDEFINED_MEANING, Undefined


class LAUC(Metric):
    """LAUC@n = [Σ_{hits k<=n} (N - m_k) + (R - h)(N - m) / 2] / (R N): the AUC if items below n are in random order.

    There are R relevant items and N other items, judged or not. m_k of the others are above a hit at k; the first n items are h
    hits and m others. A straight line joins the curve of the first n items to (1, 1). All ranked items count, and also unranked
    judged items, as if they were below n; a condensed ranking contains only judged items. If a list was cut, only the items that
    remain are known. Range [0, 1]; 1/2 for an empty list. A user without relevant items, or without other items, scores 1/2
    (``undefined=neutral``) or is not averaged (``skip``).
    """

    label = "LAUC"
    is_monotone = True
    source = "Schröder, Thiele & Lehner (2011), limited AUC"
    takes_cutoff = "optionally"
    reads_below = True

    undefined: Undefined = Field("neutral", description=UNDEFINED_MEANING)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """For each hit, count the other items below, and half of the items in unknown order."""
        ranked = np.bincount(judged.user[judged.position > 0], minlength=judged.n_users)
        n_relevant = judged.n_relevant[:, np.newaxis]
        n_others = (judged.listed + judged.n_judged - ranked)[:, np.newaxis] - n_relevant
        hits = judged.hits(cutoffs)
        above = (judged.position - 1 - judged.relevant_above).astype(np.float64)
        others_above = judged.sum_hits(lambda rows: above[rows], cutoffs)
        misses = np.minimum(judged.listed[:, np.newaxis], cutoffs) - hits
        in_order: Floats = hits * n_others - others_above + (n_relevant - hits) * (n_others - misses) / 2
        values = np.full(in_order.shape, 0.5 if self.undefined == "neutral" else np.nan)
        np.divide(in_order, n_relevant * n_others, out=values, where=n_relevant * n_others > 0)
        return values
