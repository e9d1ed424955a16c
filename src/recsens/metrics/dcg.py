"""Discounted cumulative gain."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.metrics._base import Metric, TakesCutoff
from recsens.metrics._discounts import DISCOUNT_MEANING, Discount, discount_at
from recsens.metrics._gains import GAIN_MEANING, Gain, gains, ignored_by
from recsens.metrics._judged import Judged
from recsens.metrics._random_order import expected_sums


class DCG(Metric):
    """DCG@n = Σ_{k<=n} g(k) D(k), not divided by that of an ideal list; the discount D(k) is 1 / log2(k + 1) by default.

    Users with more relevant items can gain more, and so weigh more in an average. Unjudged items gain 0. Range [0, ∞); 0 without a
    gain or a list.
    """

    label: ClassVar[str] = "DCG"
    is_monotone: ClassVar[bool] = True
    source: ClassVar[str] = "Järvelin & Kekäläinen (2002)"
    values_range: ClassVar[str] = "[0, ∞)"
    takes_cutoff: ClassVar[TakesCutoff] = "optionally"

    gain: Gain = Field("binary", description=GAIN_MEANING)
    discount: Discount = Field("log2", description=DISCOUNT_MEANING)

    @property
    def ignored(self) -> frozenset[str]:
        """Relevance too, if gains depend on the rating alone."""
        return super().ignored | ignored_by(self.gain)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Sum the discounted gains."""
        return judged.sums(gains(judged, self.gain), cutoffs, discount_at(self.discount))

    def at_random(self, targets: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Return E[DCG@n] = (mean gain of a target) · Σ_{k <= min(n, |T_u|)} D(k)."""
        return expected_sums(targets, gains(targets, self.gain), cutoffs, discount_at(self.discount))
