"""One metric that is the best of all, or the worst, according to an analysis of metrics."""

from typing import Literal

from pydantic import Field

from recsens.conclusions.claims import Claim, ClaimOutcome, Evidence, Ground, Region
from recsens.conclusions.claims._evidence import less
from recsens.conclusions.claims._metric_findings import ANALYSIS, METRIC_AT, QUANTITY, ClaimedQuantity, refuse_unordered
from recsens.conclusions.claims._parameters import with_interval
from recsens.conclusions.dimensions import Name, Names
from recsens.errors import SpecError
from recsens.metrics import MeasuredAt


class MetricLeads(Claim):
    """Among some metrics, one is the best, or the worst, by a quantity of an analysis.

    The metric is compared with each of the other metrics as in ``metric_beats``. The claim is held if the metric beats all other
    metrics, not held if another metric beats it, and otherwise undecided. The reported number is the metric's smallest lead; it is
    negative if another metric is ahead.
    """

    analysis: str = ANALYSIS
    metric: Name = METRIC_AT
    among: Names = Field((), description="the metrics that are compared; by default all metrics with the same cut-off")
    end: Literal["best", "worst"] = Field("best", description="whether the metric is claimed to be the best or the worst")
    quantity: str = QUANTITY

    def check(self, ground: Ground) -> None:
        """Refuse an analysis, quantity or metric that the study lacks, or a claim without a second metric."""
        claimed = self._asked(ground)
        refuse_unordered(claimed)
        if not self._others(claimed):
            raise SpecError(
                f"among: there is no metric other than '{self.metric}'",
                allowed=", ".join(measured.written for measured in claimed.metrics),
            )

    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge by the smallest lead."""
        claimed = self._asked(ground)
        sign = claimed.sign * (1.0 if self.end == "best" else -1.0)
        own = claimed.found(evidence, ground.dataset, claimed.metric("metric", self.metric))
        others = {measured.written: claimed.found(evidence, ground.dataset, measured) for measured in self._others(claimed)}
        leads = {name: less(own, other).scaled(sign) for name, other in others.items()}
        region = Region(0.0, is_open=True)
        answers = [region.verdict(*lead.interval) for lead in leads.values()]
        # The lead over a metric without a number is unknown; such a lead is reported before all others.
        nearest_name = min(leads, key=lambda name: (leads[name].value == leads[name].value, leads[name].value))
        lead, rival = leads[nearest_name], others[nearest_name]
        return ClaimOutcome(
            "not held" if "not held" in answers else "undecided" if "undecided" in answers else "held",
            f"{claimed.quantity} of {self.metric}, lead over {nearest_name}",
            lead.value,
            *lead.interval,
            region,
            lead.basis,
            f"{self.metric}: {with_interval(own.value, *own.interval, own.basis)}; nearest of {len(others)}: {nearest_name} "
            f"{with_interval(rival.value, *rival.interval, rival.basis)}",
        )

    def words(self, ground: Ground) -> str:
        """State which metric leads."""
        claimed = self._asked(ground)
        return f"{self.metric} is the {self.end} of {len(self._others(claimed)) + 1} metrics by {claimed.quantity} ({claimed.name})"

    def _others(self, claimed: ClaimedQuantity) -> list[MeasuredAt]:
        own = claimed.metric("metric", self.metric)
        if self.among:
            listed = [claimed.metric("among", name) for name in self.among]
        else:
            listed = [measured for measured in claimed.metrics if measured.cutoff == own.cutoff]
        return [measured for measured in listed if measured != own]

    def _asked(self, ground: Ground) -> ClaimedQuantity:
        return ClaimedQuantity.of(ground, self.analysis, self.quantity)
