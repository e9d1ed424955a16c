"""Anti-precision."""

import numpy as np

from recsens.metrics import Floats, Judged, Metric
from recsens.metrics._random_order import expected_sums


class AntiP(Metric):
    """AntiP@n = |{i in L^n : i judged, not relevant}| / n: the share of the first n items judged not relevant; less is better.

    Unjudged items count neither in AntiP nor as hits in P, so P@n + AntiP@n is the share of judged items. The divisor is n even if
    the list is shorter. Range [0, 1]; without a list, it is 0, the best value. In data without ratings, no item is judged not
    relevant.
    """

    label = "AntiP"
    source = "Mena-Maldonado et al. (2020), anti-precision"
    higher_is_better = False

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Count items judged not relevant above each cut-off and divide by the cut-off."""
        return judged.sums((~judged.is_relevant).astype(np.float64), cutoffs) / np.asarray(cutoffs, dtype=np.float64)

    def at_random(self, targets: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Return E[AntiP@n] = (share of targets judged not relevant) · min(n, |T_u|) / n."""
        misses = (~targets.is_relevant).astype(np.float64)
        return expected_sums(targets, misses, cutoffs) / np.asarray(cutoffs, dtype=np.float64)
