"""Rank-biased precision.

RBP: Rank-biased precision.
RBPResidual: Residual of rank-biased precision.
"""

from collections.abc import Callable, Mapping
from typing import ClassVar

import numpy as np
from pydantic import Field

from recsens.arrays import Ints
from recsens.metrics import ByPlace, Floats, Judged, Metric, capped
from recsens.metrics._gains import UNIT_GAIN_MEANING, UnitGain, gains, highest_gain, ignored_by


def _rbp_weight(phi: float) -> Callable[[Ints], Floats]:
    """Return the weight (1 - φ) φ^(k-1) as a function of the position k."""
    return lambda position: (1 - phi) * np.power(phi, position - 1.0)


class RBP(Metric):
    """RBP@n = (1 - φ) Σ_{k<=n} g(k) φ^(k-1): the rate of gain of a user who goes on to the next item with probability φ.

    Range [0, 1 - φ^n]. The true value is between RBP and RBP + RBPResidual with the same φ and n.
    """

    label = "RBP"
    is_monotone = True
    source = "Moffat & Zobel (2008)"
    values_range = "[0, 1 - φ^n]"
    synonyms: ClassVar[Mapping[str, str]] = dict.fromkeys(("p", "patience", "persistence"), "phi")

    phi: float = Field(0.8, gt=0, lt=1, description="probability of going on to the next item")
    gain: UnitGain = Field("binary", description=UNIT_GAIN_MEANING)

    @property
    def ignored(self) -> frozenset[str]:
        """The decisions in ``ignores``, and also relevance if gains depend only on the rating."""
        return super().ignored | ignored_by(self.gain)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Sum the weighted gains."""
        sums = judged.sums(gains(judged, self.gain), cutoffs, _rbp_weight(self.phi))
        return capped(sums, 1 - np.power(self.phi, np.asarray(cutoffs, dtype=np.float64)))

    def by_place(self, judged: Judged, cutoff: int) -> ByPlace:
        """Weigh each place by the probability of reaching it."""
        weight, gain = _rbp_weight(self.phi)(np.arange(1, cutoff + 1)), gains(judged, self.gain)
        return ByPlace("sum", weight, gain, highest_gain(judged, self.gain), np.ones(judged.n_users))


class RBPResidual(Metric):
    """residual@n = (1 - φ) Σ_{k<=m, unjudged} φ^(k-1) + φ^m with m = min(n, length of the list): what RBP could still gain.

    All unjudged items in the list, and all items below the cut-off, might have the highest gain. The residual is therefore 1 minus
    the weight of the judged items above the cut-off. Range [0, 1]; 1 without a list.
    """

    label = "RBPResidual"
    is_monotone = True
    source = "Moffat & Zobel (2008), section 3.3"
    higher_is_better = False
    is_descriptive = True
    ignores = frozenset({"relevance"})
    synonyms: ClassVar[Mapping[str, str]] = dict.fromkeys(("p", "patience", "persistence"), "phi")

    phi: float = Field(0.8, gt=0, lt=1, description="probability of going on to the next item")

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Subtract the weight of the judged items from the total weight, 1."""
        # If everything is judged, the sum of weights may exceed 1 in its last bit.
        return 1.0 - capped(judged.sums(np.ones(len(judged.user)), cutoffs, _rbp_weight(self.phi)), 1.0)
