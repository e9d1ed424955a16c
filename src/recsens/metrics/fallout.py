"""Fall-out."""

import numpy as np

from recsens.metrics import Floats, Ints, Judged, Metric, share
from recsens.metrics._random_order import expected_sums


class Fallout(Metric):
    """Fallout@n = |{i in L^n : i judged, not relevant}| / (|J_u| - |R_u|): the recall of non-relevant items; less is better.

    J_u are the user's judged items, ranked or not. Range [0, 1]; without a list, or without items judged not relevant, it is 0, the
    best value. In data without ratings, no item is judged not relevant.
    """

    label = "Fallout"
    source = "van Rijsbergen (1979), Information retrieval, chapter 7; of recommendations, Mena-Maldonado et al. (2020)"
    higher_is_better = False
    takes_cutoff = "optionally"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Divide the number of items judged not relevant above each cut-off by the number of all such items."""
        return share(judged.sums((~judged.is_relevant).astype(np.float64), cutoffs), _n_disliked(judged))

    def at_random(self, targets: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Return the expected number of items judged not relevant among the first n, divided by the number of all such items."""
        return share(expected_sums(targets, (~targets.is_relevant).astype(np.float64), cutoffs), _n_disliked(targets))


def _n_disliked(judged: Judged) -> Ints:
    return (judged.n_judged - judged.n_relevant)[:, np.newaxis]
