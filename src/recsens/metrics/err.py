"""Expected reciprocal rank."""

import numpy as np
from pydantic import Field

from recsens.metrics import Floats, Judged, Metric
from recsens.metrics._gains import UNIT_GAIN_MEANING, UnitGain, gains, ignored_by
from recsens.metrics._kernels import reach


class ERR(Metric):
    """ERR@n = Σ_{k<=n} (1/k) g(k) Π_{i<k} (1 - g(i)): the expected 1/k for a user who stops at position k with probability g(k).

    Unjudged items gain 0, so users do not stop there. Range [0, 1]; the gain ``chapelle`` never reaches 1. ERR is 0 if no item has
    a gain, or if there is no list. Without a cut-off, ERR reads the whole ranking.
    """

    label = "ERR"
    is_monotone = True
    source = "Chapelle et al. (2009)"
    takes_cutoff = "optionally"

    gain: UnitGain = Field("chapelle", description=UNIT_GAIN_MEANING)

    @property
    def ignored(self) -> frozenset[str]:
        """The decisions in ``ignores``, and also relevance if gains depend only on the rating."""
        return super().ignored | ignored_by(self.gain)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Weight each gain by the probability of reaching its position."""
        stops = gains(judged, self.gain)
        reached = np.empty(len(judged.order))
        reach(stops[judged.order], judged.order_starts, reached)
        chances = np.zeros(len(stops))
        chances[judged.order] = stops[judged.order] * reached
        return judged.sums(chances, cutoffs, lambda position: 1.0 / position)
