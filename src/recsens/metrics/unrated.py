"""Share of unrated items at the top."""

import numpy as np

from recsens.metrics import Floats, Judged, Metric


class Unrated(Metric):
    """Unrated@n = 1 - |judged items in L^n| / min(n, |L|): the share of shown items that are not judged.

    Range [0, 1]; 0 without a list, and always 0 under the condensed view.
    """

    label = "Unrated"
    is_monotone = True
    source = "Cañamares, Castells & Moffat (2020), Fig. 3"
    higher_is_better = False
    is_descriptive = True
    ignores = frozenset({"relevance"})

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Subtract the judged items above each cut-off from the items shown."""
        shown = np.minimum(judged.listed[:, None], np.asarray(cutoffs))
        rated = judged.sums(np.ones(len(judged.user)), cutoffs)
        unrated = np.zeros_like(rated)
        np.divide(shown - rated, shown, out=unrated, where=shown > 0)
        return unrated
