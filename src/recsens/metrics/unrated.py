"""Share of unrated items at the top."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.metrics._base import Ignorable, Metric
from recsens.metrics._judged import Judged


class Unrated(Metric):
    """Unrated@n = 1 - |judged items in L^n| / min(n, |L|): the share of the items shown that nobody can judge.

    Range [0, 1]; 0 without a list, and always 0 under the condensed view.
    """

    label: ClassVar[str] = "Unrated"
    is_monotone: ClassVar[bool] = True
    source: ClassVar[str] = "Cañamares, Castells & Moffat (2020), Fig. 3"
    higher_is_better: ClassVar[bool] = False
    is_descriptive: ClassVar[bool] = True
    ignores: ClassVar[frozenset[Ignorable]] = frozenset({"relevance"})

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Subtract the judged items above each cut-off from the items shown."""
        shown = np.minimum(judged.listed[:, None], np.asarray(cutoffs))
        rated = judged.sums(np.ones(len(judged.user)), cutoffs)
        unrated = np.zeros_like(rated)
        np.divide(shown - rated, shown, out=unrated, where=shown > 0)
        return unrated
