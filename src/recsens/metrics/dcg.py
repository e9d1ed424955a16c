"""Discounted cumulative gain."""

from pydantic import Field

from recsens.metrics import DISCOUNT_MEANING, Discount, Floats, Judged, Metric, discount_at
from recsens.metrics._gains import GAIN_MEANING, Gain, gains, ignored_by
from recsens.metrics._random_order import expected_sums


class DCG(Metric):
    """DCG@n = Σ_{k<=n} g(k) D(k), not divided by an ideal list's DCG; the discount D(k) is 1 / log2(k + 1) by default.

    Users with more relevant items can gain more, so they have more weight in an average. Unjudged items gain 0. Range [0, ∞); 0
    if no item gains anything or there is no list.
    """

    label = "DCG"
    is_monotone = True
    source = "Järvelin & Kekäläinen (2002)"
    values_range = "[0, ∞)"
    takes_cutoff = "optionally"

    gain: Gain = Field("binary", description=GAIN_MEANING)
    discount: Discount = Field("log2", description=DISCOUNT_MEANING)

    @property
    def ignored(self) -> frozenset[str]:
        """The decisions in ``ignores``, and also relevance if gains depend only on the rating."""
        return super().ignored | ignored_by(self.gain)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Sum the discounted gains."""
        return judged.sums(gains(judged, self.gain), cutoffs, discount_at(self.discount))

    def at_random(self, targets: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Return E[DCG@n] = (mean gain of a target) · Σ_{k <= min(n, |T_u|)} D(k)."""
        return expected_sums(targets, gains(targets, self.gain), cutoffs, discount_at(self.discount))
