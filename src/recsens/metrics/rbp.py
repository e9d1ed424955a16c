"""Rank-biased precision."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.metrics._base import Metric
from recsens.metrics._gains import UNIT_GAIN_MEANING, UnitGain, gains, ignored_by
from recsens.metrics._judged import Judged
from recsens.metrics._persistence import rbp_weight
from recsens.metrics._shares import capped


class RBP(Metric):
    """RBP@n = (1 - φ) Σ_{k<=n} g(k) φ^(k-1): the rate of gain of a user who goes on to the next item with probability φ.

    Range [0, 1 - φ^n]. The true value lies between RBP and RBP + RBPResidual of the same φ and n.
    """

    label: ClassVar[str] = "RBP"
    is_monotone: ClassVar[bool] = True
    source: ClassVar[str] = "Moffat & Zobel (2008)"
    values_range: ClassVar[str] = "[0, 1 - φ^n]"

    phi: float = Field(0.8, gt=0, lt=1, description="probability of going on to the next item")
    gain: UnitGain = Field("binary", description=UNIT_GAIN_MEANING)

    @property
    def ignored(self) -> frozenset[str]:
        """Relevance too, if gains depend on the rating alone."""
        return super().ignored | ignored_by(self.gain)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Sum the weighted gains."""
        sums = judged.sums(gains(judged, self.gain), cutoffs, rbp_weight(self.phi))
        return capped(sums, 1 - np.power(self.phi, np.asarray(cutoffs, dtype=np.float64)))
