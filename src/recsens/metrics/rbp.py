"""Rank-biased precision."""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from pydantic import Field

from recsens.metrics import Floats, Judged, Metric, capped
from recsens.metrics._discounts import rbp_weight
from recsens.metrics._gains import UNIT_GAIN_MEANING, UnitGain, gains, ignored_by


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
        sums = judged.sums(gains(judged, self.gain), cutoffs, rbp_weight(self.phi))
        return capped(sums, 1 - np.power(self.phi, np.asarray(cutoffs, dtype=np.float64)))
