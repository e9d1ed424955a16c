"""Average reciprocal hit rank."""

from recsens.metrics import Floats, Judged, Metric


class ARHR(Metric):
    """ARHR@n = Σ_{hits k <= n} 1 / k: each relevant item among the first n counts as the inverse of its position.

    For a user with one relevant item, ARHR equals RR. Several hits may add up to more than 1. Range [0, H_n] with H_n =
    1 + 1/2 + ... + 1/n; 0 without relevant items or without a list.
    """

    label = "ARHR"
    is_monotone = True
    source = "Deshpande & Karypis (2004)"
    values_range = "[0, H_n]"
    takes_cutoff = "optionally"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Sum the inverse positions of relevant items."""
        return judged.sum_hits(lambda rows: 1.0 / judged.position[rows], cutoffs)
