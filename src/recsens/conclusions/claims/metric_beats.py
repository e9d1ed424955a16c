"""One metric is better than another by an analysis of metrics."""

from recsens.conclusions.claims import Claim, ClaimOutcome, Evidence, Ground, Region, by_interval
from recsens.conclusions.claims._evidence import less
from recsens.conclusions.claims._metric_findings import ANALYSIS, METRIC_AT, QUANTITY, ClaimedQuantity, refuse_unordered
from recsens.conclusions.claims._parameters import with_interval
from recsens.conclusions.dimensions import Name
from recsens.errors import SpecError


class MetricBeats(Claim):
    """Metric ``a`` is better than ``b`` by a quantity of an analysis, such as the area under the robustness curve.

    Whether higher or lower numbers of a quantity are better depends on the analysis. The claim is held if the difference's interval
    lies wholly on the side of ``a``, not held if it lies wholly on the side of ``b``, and otherwise undecided. The intervals of the
    two metrics are treated as independent. If both come from the same samples, the interval of the difference is too wide when the
    two numbers vary together, and too narrow when they vary in opposite directions. A number of unknown precision counts as exact;
    the claim's outcome then says that there is no interval.
    """

    analysis: str = ANALYSIS
    a: Name = METRIC_AT
    b: Name = METRIC_AT
    quantity: str = QUANTITY

    def check(self, ground: Ground) -> None:
        """Refuse an analysis, quantity or metrics that the study lacks."""
        claimed = self._asked(ground)
        refuse_unordered(claimed)
        if claimed.metric("a", self.a) == claimed.metric("b", self.b):
            raise SpecError(f"'{self.a}' is compared with itself", remedy="name two metrics")

    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge by the difference."""
        claimed = self._asked(ground)
        first, second = (
            claimed.found(evidence, ground.dataset, claimed.metric(key, text)) for key, text in (("a", self.a), ("b", self.b))
        )
        lead = less(first, second).scaled(claimed.sign)
        what = f"{claimed.quantity} of {self.a} minus {self.b}"
        if claimed.sign < 0:
            what = f"{claimed.quantity} of {self.b} minus {self.a}"
        numbers = f"{self.a}: {with_interval(first.value, *first.interval, first.basis)}; {self.b}: "
        numbers += with_interval(second.value, *second.interval, second.basis)
        return by_interval(what, lead.value, lead.interval, Region(0.0, is_open=True), lead.basis, numbers)

    def words(self, ground: Ground) -> str:
        """State which metric beats which."""
        claimed = self._asked(ground)
        return f"{self.a} has a {'higher' if claimed.sign > 0 else 'lower'} {claimed.quantity} than {self.b} ({claimed.name})"

    def _asked(self, ground: Ground) -> ClaimedQuantity:
        return ClaimedQuantity.of(ground, self.analysis, self.quantity)
