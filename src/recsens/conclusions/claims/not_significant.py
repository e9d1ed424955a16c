"""A test that finds no significant difference between two systems."""

from recsens.conclusions.claims import Claim, ClaimOutcome, Evidence, Ground, Region, by_interval
from recsens.conclusions.claims._evidence import NO_INTERVAL
from recsens.conclusions.claims._parameters import METRIC, A, B, at, check_pair, quantity, with_interval
from recsens.conclusions.dimensions import Name


class NotSignificant(Claim):
    """The design's test finds no significant difference between systems ``a`` and ``b``.

    The claim is held if p, with the design's correction, is at least ``alpha``, not held if p is lower, and undecided if there is
    no p-value. A test without a significant result is not evidence that the systems are equally good: with few users, the claim is
    held for almost any two systems. To claim equivalence, use ``tied`` with a margin.
    """

    a: Name = A
    b: Name = B
    metric: Name = METRIC

    def check(self, ground: Ground) -> None:
        """Refuse a pair that the study does not compare, or a metric that it does not measure."""
        check_pair(ground.experiment, self.a, self.b)
        quantity(ground.experiment, self.metric)

    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge by the p-value."""
        of = quantity(ground.experiment, self.metric)
        found = evidence.difference(at(ground, self.a, of), at(ground, self.b, of), of)
        numbers = f"{self.a} − {self.b}: {with_interval(found.value, *found.interval, found.basis, found.p_value)}"
        p, asked = found.p_value, Region(ground.experiment.alpha, 1.0)
        return by_interval(f"p of the difference of {self.a} and {self.b} by {of.name}", p, (p, p), asked, NO_INTERVAL, numbers)

    def words(self, ground: Ground) -> str:
        """State that no difference was found."""
        return f"{self.a} and {self.b} do not differ significantly by {quantity(ground.experiment, self.metric).name}"
