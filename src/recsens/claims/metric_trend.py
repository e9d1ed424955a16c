"""A metric gets better, or worse, with deeper cut-offs by an analysis of metrics."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field
from scipy import stats

from recsens.claims._base import Claim
from recsens.claims._evidence import Evidence
from recsens.claims._findings import ANALYSIS, QUANTITY, AskedQuantity, refuse_table
from recsens.claims._judgement import Judgement, Region
from recsens.errors import SpecError
from recsens.metrics import MeasuredAt
from recsens.report.metric_names import measured
from recsens.report.numbers import p_claim, score
from recsens.report.space.naming import Name
from recsens.study import Ground

_FEWEST = 5
"""With fewer cut-offs no order of them has p < .05."""


class MetricTrend(Claim):
    """A metric gets better, or worse, with deeper cut-offs: τ-b between the cut-offs and a quantity of an analysis.

    A trend is claimed, not each step. Held if τ has the sign claimed, and Kendall's two-sided test p below the study's ``alpha``;
    not held if it has the other sign with such a p; else undecided. The test is exact where no two values are equal. Values at
    neighbouring cut-offs rest on the same ratings, so that p describes how regular the trend is, not whether other data would show
    it.
    """

    analysis: str = ANALYSIS
    metric: Name = Field("", description="a metric without its cut-off, at all of its cut-offs that are analysed")
    direction: Literal["better", "worse"] = Field("better", description="how it changes with depth")
    quantity: str = QUANTITY

    def check(self, ground: Ground) -> None:
        """Refuse an analysis, quantity or metric that the study lacks, and fewer than five cut-offs."""
        asked = self._asked(ground)
        refuse_table(asked)
        depths = self._depths(asked)
        if len(depths) < _FEWEST:
            raise SpecError(f"metric: cut-offs of '{self.metric}' in '{asked.name}': {len(depths)}", allowed=f"{_FEWEST} or more")

    def judge(self, ground: Ground, evidence: Evidence) -> Judgement:
        """Judge by the rank correlation."""
        asked = self._asked(ground)
        sign = asked.sign * (1.0 if self.direction == "better" else -1.0)
        depths = self._depths(asked)
        values = [asked.found(evidence, ground.dataset, each).value for each in depths]
        found = stats.kendalltau([each.cutoff for each in depths], sign * np.asarray(values), nan_policy="propagate")
        tau, p_value = float(found.statistic), float(found.pvalue)
        decided = p_value < ground.experiment.alpha
        told = f"{score(values[0])} at {depths[0].cutoff} to {score(values[-1])} at {depths[-1].cutoff}"
        return Judgement(
            ("held" if tau > 0 else "not held") if decided else "undecided",
            f"τ of {asked.quantity} of {self.metric} with depth, {self.direction} above 0",
            tau,
            *(tau, tau),
            Region(0.0, is_open=True),
            f"{len(depths)} cut-offs",
            f"{asked.quantity} {told}; τ {score(tau)} ({p_claim(p_value)})",
        )

    def words(self, ground: Ground) -> str:
        """Say which way it goes."""
        asked = self._asked(ground)
        return f"{self.metric} gets {self.direction} by {asked.quantity} with deeper cut-offs ({asked.name})"

    def _depths(self, asked: AskedQuantity) -> list[MeasuredAt]:
        """Return the metric at each of its cut-offs, shallow ones first."""
        written = {each.metric.spec.name for each in asked.metrics}
        try:
            metric = measured(f"{self.metric}@1").metric
        except SpecError as error:
            raise SpecError(f"metric: no '{self.metric}'", allowed=", ".join(sorted(written))) from error
        found = [each for each in asked.metrics if each.metric == metric and not each.is_whole]
        return sorted(found, key=lambda each: each.cutoff)

    def _asked(self, ground: Ground) -> AskedQuantity:
        return AskedQuantity.of(ground, self.analysis, self.quantity)
