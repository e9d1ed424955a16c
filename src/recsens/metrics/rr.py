"""Reciprocal rank."""

from recsens.metrics import Floats, Judged, Metric


class RR(Metric):
    """RR@n = 1 / k, where k <= n is the position of the first relevant item.

    Range [0, 1]; 0 if none of the first n items is relevant. The mean of RR over users is MRR. Without a cut-off, RR reads the
    whole ranking, like trec_eval's ``recip_rank``.
    """

    label = "RR"
    is_monotone = True
    source = "Valcarce et al. (2018), eq. 5"
    takes_cutoff = "optionally"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Return the inverse position of each user's first relevant item."""
        return judged.sum_hits(lambda rows: (judged.relevant_above[rows] == 0) / judged.position[rows], cutoffs)
