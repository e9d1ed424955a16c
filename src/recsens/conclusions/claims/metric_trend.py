"""A metric gets better, or worse, with deeper cut-offs, according to an analysis of metrics."""

from typing import Literal

import numpy as np
from pydantic import Field
from scipy import stats

from recsens.conclusions.claims import Claim, ClaimOutcome, Evidence, Ground, Region
from recsens.conclusions.claims._evidence import less
from recsens.conclusions.claims._metric_findings import ANALYSIS, QUANTITY, ClaimedQuantity, refuse_unordered
from recsens.conclusions.dimensions import Name
from recsens.conclusions.verdicts.components import measured
from recsens.errors import SpecError
from recsens.metrics import MeasuredAt
from recsens.tables.numbers import score

_FEWEST = 3
"""Smallest number of cut-offs; two cut-offs have a difference, which metric_beats judges, but no trend."""


class MetricTrend(Claim):
    """A metric gets better, or worse, with deeper cut-offs, by a quantity of an analysis.

    The claim is about a trend, not about each step. It says two things: the deepest cut-off is better (or worse) than the
    shallowest, judged as in ``metric_beats``, and τ-b between cut-offs and quantity has the matching sign. The claim is held if
    both are true, not held if both are reversed, and otherwise undecided. The reported number is the difference between the two
    ends. No p-value is used: values at neighbouring cut-offs come from the same ratings, and with enough cut-offs any trend would
    be significant.
    """

    analysis: str = ANALYSIS
    metric: Name = Field(
        "", description="a metric without its cut-off; it is taken at all of its cut-offs that the analysis covers"
    )
    direction: Literal["better", "worse"] = Field("better", description="how the metric changes with deeper cut-offs")
    quantity: str = QUANTITY

    def check(self, ground: Ground) -> None:
        """Refuse an analysis, quantity or metric that the study lacks, and fewer than three cut-offs."""
        claimed = self._asked(ground)
        refuse_unordered(claimed)
        depths = self._depths(claimed)
        if len(depths) < _FEWEST:
            raise SpecError(f"metric: '{claimed.name}' has {len(depths)} cut-offs of '{self.metric}'", allowed=f"{_FEWEST} or more")

    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge by the two ends and by the rank correlation."""
        claimed = self._asked(ground)
        sign = claimed.sign * (1.0 if self.direction == "better" else -1.0)
        depths = self._depths(claimed)
        numbers = [claimed.found(evidence, ground.dataset, each) for each in depths]
        lead = less(numbers[-1], numbers[0]).scaled(sign)
        steps = sign * np.diff([each.value for each in numbers])
        # If all values are equal or a value is missing, tau is undefined, so the claim is undecided.
        tau = float(stats.kendalltau([each.cutoff for each in depths], [sign * each.value for each in numbers]).statistic)
        region = Region(0.0, is_open=True)
        verdict = region.verdict(*lead.interval)
        agrees = tau > 0 if verdict == "held" else tau < 0
        ends = " to ".join(f"{score(numbers[end].value)} at {depths[end].cutoff}" for end in (0, -1))
        return ClaimOutcome(
            verdict if agrees else "undecided",
            f"{claimed.quantity} of {self.metric}, by how much {depths[-1].cutoff} is {self.direction} than {depths[0].cutoff}",
            lead.value,
            *lead.interval,
            region,
            lead.basis,
            (
                f"{claimed.quantity} {ends}; {int((steps > 0).sum())} of {len(steps)} steps in this direction, τ {score(tau)} "
                f"({lead.basis})"
            ),
        )

    def words(self, ground: Ground) -> str:
        """State whether the metric gets better or worse with deeper cut-offs, and by which quantity."""
        claimed = self._asked(ground)
        return f"{self.metric} gets {self.direction} by {claimed.quantity} with deeper cut-offs ({claimed.name})"

    def _depths(self, claimed: ClaimedQuantity) -> list[MeasuredAt]:
        """Return the metric at each of its cut-offs, shallowest first."""
        written = {metric_at.metric.spec.name for metric_at in claimed.metrics}
        try:
            metric = measured(f"{self.metric}@1").metric
        except SpecError as error:
            raise SpecError(f"metric: no '{self.metric}'", allowed=", ".join(sorted(written))) from error
        at_depths = [metric_at for metric_at in claimed.metrics if metric_at.metric == metric and not metric_at.is_whole]
        return sorted(at_depths, key=lambda metric_at: metric_at.cutoff)

    def _asked(self, ground: Ground) -> ClaimedQuantity:
        return ClaimedQuantity.of(ground, self.analysis, self.quantity)
