"""What an analysis of metrics finds.

metric_beats: One metric is better than another by an analysis of metrics.
metric_bounds: The numbers that an analysis finds for metrics lie between two bounds.
metric_leads: One metric that is the best of all, or the worst, according to an analysis of metrics.
metric_trend: A metric gets better, or worse, with deeper cut-offs, according to an analysis of metrics.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from pydantic import Field
from scipy import stats

from recsens.conclusions.claims import Claim, ClaimOutcome, Evidence, Ground, Known, Region
from recsens.conclusions.claims._base import judge_all, judge_interval, judge_number
from recsens.conclusions.claims._evidence import NO_INTERVAL, NOTHING, subtract
from recsens.conclusions.claims._parameters import Between
from recsens.conclusions.dimensions import Name, Names
from recsens.conclusions.verdicts.components import measured
from recsens.conclusions.verdicts.study_tables import records
from recsens.errors import SpecError, nearest
from recsens.metrics import MeasuredAt
from recsens.tables.numbers import score, tick

if TYPE_CHECKING:
    from recsens.conclusions.meta import MetricAnalysis


ANALYSIS: Any = Field("", description="name of an analysis in the study's ``meta``; by default the only analysis there")
QUANTITY: Any = Field("", description="a quantity of the analysis; by default the quantity by which metrics are ordered")
METRIC_AT: Any = Field("", description="a metric that the analysis covers, with its cut-off")


@dataclass(frozen=True)
class ClaimedQuantity:
    """A quantity of an analysis.

    Attributes
    ----------
    name, quantity
        The study's name of the analysis, and the name of the quantity.
    analysis
        The plug-in.
    metrics
        The metrics that are analysed.
    """

    name: str
    quantity: str
    analysis: MetricAnalysis
    metrics: tuple[MeasuredAt, ...]

    @classmethod
    def of(cls, ground: Ground, name: str, quantity: str) -> ClaimedQuantity:
        """Find one of the experiment's analyses by name, and one of its quantities.

        Raises SpecError if the experiment has no such analysis, or if ``name`` is empty and there are several analyses. Also raises
        SpecError if the analysis lacks the quantity or does not average it over folds, or if the claim is not about the base
        design.
        """
        analyses = ground.experiment.analyses
        if not analyses:
            raise SpecError(
                f"'meta' has no analysis of '{ground.experiment.title}'",
                remedy="add an analysis, or name the experiment that has one",
            )
        if ground.design != ground.experiment.design:
            raise SpecError(
                "under: metrics are analysed only under the base design",
                remedy="leave 'under' out, or make the other design the base design of a further experiment",
            )
        if not name and len(analyses) == 1:
            [name] = analyses
        if name not in analyses:
            what = f"analysis: unknown '{name}'{nearest(name, analyses)}" if name else "analysis: there are several; name one"
            raise SpecError(what, allowed=", ".join(analyses))
        entry = analyses[name]
        analysis = cast("MetricAnalysis", entry.analysed)
        quantity = quantity or analysis.headline
        if quantity not in analysis.quantities:
            near = nearest(quantity, analysis.quantities)
            raise SpecError(f"quantity: '{name}' finds no '{quantity}'{near}", allowed=", ".join(analysis.quantities))
        if quantity in analysis.not_averaged:
            over_all = ", ".join(each for each in analysis.quantities if each not in analysis.not_averaged)
            raise SpecError(f"quantity: '{quantity}' is not averaged over folds, and claims are about all folds", allowed=over_all)
        return cls(name, quantity, analysis, tuple(entry.metrics_of(ground.experiment)))

    def metric(self, key: str, text: str) -> MeasuredAt:
        """Find a metric that the analysis covers; raises the same errors as `of`."""
        written = {measured_at.written: measured_at for measured_at in self.metrics}
        if text in written:
            return written[text]
        try:
            meant = str(measured(text))
        except SpecError:
            meant = ""
        at_cutoff = next((measured_at for measured_at in self.metrics if str(measured_at) == meant), None)
        if at_cutoff is None:
            what = f"'{self.name}' does not analyse '{text}'{nearest(text, written)}" if text else "no metric named"
            raise SpecError(f"{key}: {what}", allowed=", ".join(written))
        return at_cutoff

    @property
    def sign(self) -> float:
        """1 if a higher number of this quantity is better, -1 if a lower number is better."""
        return -1.0 if self.quantity in self.analysis.less_is_better else 1.0

    def found(self, evidence: Evidence, dataset: str, metric: MeasuredAt) -> Known:
        """Return a metric's finding over all folds that is not about a point of the axis."""
        rows = self.rows(evidence, dataset)
        mine = [row for row in rows if row["metric_full"] == str(metric) and math.isnan(row["at"])]
        return NOTHING if len(mine) != 1 or math.isnan(mine[0]["value"]) else self.known(mine[0])

    def known(self, row: dict[str, Any]) -> Known:
        """Return a finding as a number with its interval; a finding without an interval counts as exact."""
        value, low, high = (float(row[name]) for name in ("value", "low", "high"))
        if math.isnan(low) or math.isnan(high):
            return Known(value, value, value, NO_INTERVAL)
        return Known(value, low, high, f"95 % CI over {row['n']:g} {row['over']}")

    def rows(self, evidence: Evidence, dataset: str) -> list[dict[str, Any]]:
        """List the rows of the quantity over all folds."""
        table = evidence.findings
        chosen = (table["dataset"] == dataset) & (table["analysis"] == self.name) & (table["quantity"] == self.quantity)
        findings = table[chosen]
        # If there are several folds, the interval is over folds, even if each fold has an interval over its samples.
        over = "folds" if findings["fold"].nunique() > 2 else self.analysis.sampled
        return records(findings[findings["fold"] == "all"].assign(over=over))


def refuse_unordered(claimed: ClaimedQuantity) -> None:
    """Refuse a quantity by which metrics cannot be ordered.

    Raises SpecError if the quantity has several numbers per metric, or if neither higher nor lower numbers are better.
    """
    analysis = claimed.analysis
    ordering = ", ".join(name for name in analysis.quantities if name not in analysis.several | analysis.undirected)
    if claimed.quantity in analysis.several:
        raise SpecError(f"quantity: '{claimed.quantity}' has several numbers per metric", allowed=ordering)
    if claimed.quantity in analysis.undirected:
        raise SpecError(f"quantity: neither higher nor lower numbers of '{claimed.quantity}' are better", allowed=ordering)


class MetricBeats(Claim):
    """Metric ``a`` is better than ``b`` by a quantity of an analysis, such as the area under the robustness curve.

    Whether higher or lower numbers of a quantity are better depends on the analysis. The claim is held if the difference's interval
    lies wholly on the side of ``a``, not held if it lies wholly on the side of ``b``, and otherwise undecided. The intervals of the
    two metrics are treated as independent. If both come from the same samples, the interval of the difference is too wide when the
    two numbers vary together, and too narrow when they vary in opposite directions. A number of unknown precision counts as exact;
    the claim's outcome then says that there is no interval.
    """

    label = "metric_beats"

    analysis: str = ANALYSIS
    a: Name = METRIC_AT
    b: Name = METRIC_AT
    quantity: str = QUANTITY

    def check(self, ground: Ground) -> None:
        """Refuse an analysis, quantity or metrics that the study lacks."""
        claimed = ClaimedQuantity.of(ground, self.analysis, self.quantity)
        refuse_unordered(claimed)
        if claimed.metric("a", self.a) == claimed.metric("b", self.b):
            raise SpecError(f"'{self.a}' is compared with itself", remedy="name two metrics")

    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge by the difference."""
        claimed = ClaimedQuantity.of(ground, self.analysis, self.quantity)
        first, second = (
            claimed.found(evidence, ground.dataset, claimed.metric(key, text)) for key, text in (("a", self.a), ("b", self.b))
        )
        lead = subtract(first, second).scaled(claimed.sign)
        ends = (self.a, self.b) if claimed.sign > 0 else (self.b, self.a)
        what = f"{claimed.quantity} of {' minus '.join(ends)}"
        numbers = f"{self.a}: {first.in_words()}; {self.b}: {second.in_words()}"
        return judge_number(what, lead, Region(0.0, is_open=True), numbers)

    def words(self, ground: Ground) -> str:
        """State which metric beats which."""
        claimed = ClaimedQuantity.of(ground, self.analysis, self.quantity)
        return f"{self.a} has a {'higher' if claimed.sign > 0 else 'lower'} {claimed.quantity} than {self.b} ({claimed.name})"


class MetricBounds(Claim):
    """All numbers that an analysis finds for some metrics, or only those at one point of its axis, lie between two bounds.

    The claim is held if all intervals lie between the bounds, not held if one interval lies wholly outside, and otherwise
    undecided. With a ``share`` below 1, it is held if at least this share of the intervals lies between the bounds, and not held
    if too many lie wholly outside. A number without an interval counts as exact. The claim reports the number farthest outside the
    bounds or, if none is outside, the number closest to a bound. In findings about two metrics, such as agreements, both metrics
    must be among ``metrics``; the agreement of a metric with itself does not count.
    """

    label = "metric_bounds"

    analysis: str = ANALYSIS
    quantity: str = QUANTITY
    between: Between = Field((0.0, 1.0), description="the two bounds, the lower bound first")
    metrics: Names = Field((), description="metrics with their cut-offs; by default all metrics that are analysed")
    at: float | int | None = Field(None, description="a point on the analysis's axis; by default every point")
    share: float | int = Field(1.0, gt=0, le=1, description="share of the numbers that must lie between the bounds")

    def check(self, ground: Ground) -> None:
        """Refuse an analysis, quantity or metric that the study lacks."""
        claimed = ClaimedQuantity.of(ground, self.analysis, self.quantity)
        for name in self.metrics:
            claimed.metric("metrics", name)
        if self.at is not None and not claimed.analysis.axis:
            raise SpecError(f"at: '{claimed.name}' has no axis", remedy="leave 'at' out")
        if self.at is not None and claimed.quantity not in claimed.analysis.several:
            raise SpecError(f"at: '{claimed.quantity}' has one number per metric, not one per point", remedy="leave 'at' out")

    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge every number."""
        claimed = ClaimedQuantity.of(ground, self.analysis, self.quantity)
        region = Region(*self.between)
        numbers = self._found_numbers(claimed, evidence, ground.dataset)
        if not numbers:
            return judge_number(claimed.quantity, NOTHING, region, NOTHING.basis)
        answers = [region.verdict(*nearest.interval) for nearest in numbers.values()]
        if self.share < 1:
            # Divide counts: 1 - 0.9 is below 0.1.
            inside, possible = (n / len(answers) for n in (answers.count("held"), len(answers) - answers.count("not held")))
            asked = Region(self.share, 1.0)
            told = f"{answers.count('held')} of {len(answers)} numbers lie between the bounds; {_numbers_in_words(numbers)}"
            return judge_interval(f"share of {claimed.quantity}", inside, (inside, possible), asked, NO_INTERVAL, told)
        low, high = self.between
        rooms = {label: min(number.value - low, high - number.value) for label, number in numbers.items()}
        name = min(numbers, key=lambda label: -math.inf if math.isnan(rooms[label]) else rooms[label])
        nearest = numbers[name]
        return judge_number(f"{claimed.quantity} of {name}", nearest, region, _numbers_in_words(numbers), judge_all(answers))

    def words(self, ground: Ground) -> str:
        """State the quantity and the bounds."""
        claimed = ClaimedQuantity.of(ground, self.analysis, self.quantity)
        of = " and ".join(self.metrics) or "every metric"
        of = of if self.share == 1 else f"at least {self.share:.0%} of the numbers of {of}"
        where = "" if self.at is None else f" at {tick(self.at)}"
        low, high = self.between
        return f"{claimed.quantity} of {of}{where} lies between {tick(low)} and {tick(high)} ({claimed.name})"

    def _found_numbers(self, claimed: ClaimedQuantity, evidence: Evidence, dataset: str) -> dict[str, Known]:
        chosen = {str(claimed.metric("metrics", name)) for name in self.metrics} or {str(measured) for measured in claimed.metrics}
        numbers: dict[str, Known] = {}
        for row in claimed.rows(evidence, dataset):
            metric, against = row["metric_full"], row["against_full"]
            if metric not in chosen or metric == against or (against and against not in chosen):
                continue
            if self.at is not None and row["at"] != self.at:
                continue
            turned = numbers.get(f"{row['against']} and {row['metric']}")
            if turned is not None and turned.value == row["value"]:
                continue
            place = "" if self.at is not None or math.isnan(row["at"]) else f" at {tick(row['at'])}"
            numbers[" and ".join(filter(None, [row["metric"], row["against"]])) + place] = claimed.known(row)
        return numbers


def _numbers_in_words(numbers: dict[str, Known]) -> str:
    """Write the number if there is only one, and otherwise the lowest and the highest number."""
    phrases = {name: f"{name}: {number.in_words()}" for name, number in numbers.items()}
    ends = dict.fromkeys(end(numbers, key=lambda label: numbers[label].value) for end in (min, max))
    if len(ends) == 1:
        return phrases[next(iter(ends))]
    return f"{len(numbers)} numbers, from {' to '.join(phrases[name] for name in ends)}"


class MetricLeads(Claim):
    """Among some metrics, one is the best, or the worst, by a quantity of an analysis.

    The metric is compared with each of the other metrics as in ``metric_beats``. The claim is held if the metric beats all other
    metrics, not held if another metric beats it, and otherwise undecided. The reported number is the metric's smallest lead; it is
    negative if another metric is ahead.
    """

    label = "metric_leads"

    analysis: str = ANALYSIS
    metric: Name = METRIC_AT
    among: Names = Field((), description="the metrics that are compared; by default all metrics with the same cut-off")
    end: Literal["best", "worst"] = Field("best", description="whether the metric is claimed to be the best or the worst")
    quantity: str = QUANTITY

    def check(self, ground: Ground) -> None:
        """Refuse an analysis, quantity or metric that the study lacks, or a claim without a second metric."""
        claimed = ClaimedQuantity.of(ground, self.analysis, self.quantity)
        refuse_unordered(claimed)
        if not self._others(claimed):
            raise SpecError(
                f"among: there is no metric other than '{self.metric}'",
                allowed=", ".join(measured.written for measured in claimed.metrics),
            )

    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge by the smallest lead."""
        claimed = ClaimedQuantity.of(ground, self.analysis, self.quantity)
        sign = claimed.sign * (1.0 if self.end == "best" else -1.0)
        own = claimed.found(evidence, ground.dataset, claimed.metric("metric", self.metric))
        others = {measured.written: claimed.found(evidence, ground.dataset, measured) for measured in self._others(claimed)}
        leads = {name: subtract(own, other).scaled(sign) for name, other in others.items()}
        region = Region(0.0, is_open=True)
        answers = [region.verdict(*lead.interval) for lead in leads.values()]
        # The lead over a metric without a number is unknown; such a lead is reported before all others.
        nearest_name = min(leads, key=lambda name: (leads[name].value == leads[name].value, leads[name].value))
        lead, rival = leads[nearest_name], others[nearest_name]
        what = f"{claimed.quantity} of {self.metric}, lead over {nearest_name}"
        numbers = f"{self.metric}: {own.in_words()}; nearest of {len(others)}: {nearest_name} {rival.in_words()}"
        return judge_number(what, lead, region, numbers, judge_all(answers))

    def words(self, ground: Ground) -> str:
        """State which metric leads."""
        claimed = ClaimedQuantity.of(ground, self.analysis, self.quantity)
        return f"{self.metric} is the {self.end} of {len(self._others(claimed)) + 1} metrics by {claimed.quantity} ({claimed.name})"

    def _others(self, claimed: ClaimedQuantity) -> list[MeasuredAt]:
        own = claimed.metric("metric", self.metric)
        if self.among:
            listed = [claimed.metric("among", name) for name in self.among]
        else:
            listed = [measured for measured in claimed.metrics if measured.cutoff == own.cutoff]
        return [measured for measured in listed if measured != own]


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

    label = "metric_trend"

    analysis: str = ANALYSIS
    metric: Name = Field(
        "", description="a metric without its cut-off; it is taken at all of its cut-offs that the analysis covers"
    )
    direction: Literal["better", "worse"] = Field("better", description="how the metric changes with deeper cut-offs")
    quantity: str = QUANTITY

    def check(self, ground: Ground) -> None:
        """Refuse an analysis, quantity or metric that the study lacks, and fewer than three cut-offs."""
        claimed = ClaimedQuantity.of(ground, self.analysis, self.quantity)
        refuse_unordered(claimed)
        depths = self._metric_by_depth(claimed)
        if len(depths) < _FEWEST:
            raise SpecError(f"metric: '{claimed.name}' has {len(depths)} cut-offs of '{self.metric}'", allowed=f"{_FEWEST} or more")

    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge by the two ends and by the rank correlation."""
        claimed = ClaimedQuantity.of(ground, self.analysis, self.quantity)
        sign = claimed.sign * (1.0 if self.direction == "better" else -1.0)
        depths = self._metric_by_depth(claimed)
        numbers = [claimed.found(evidence, ground.dataset, each) for each in depths]
        lead = subtract(numbers[-1], numbers[0]).scaled(sign)
        steps = sign * np.diff([each.value for each in numbers])
        # If all values are equal or a value is missing, tau is undefined, so the claim is undecided.
        tau = float(stats.kendalltau([each.cutoff for each in depths], [sign * each.value for each in numbers]).statistic)
        region = Region(0.0, is_open=True)
        verdict = region.verdict(*lead.interval)
        agrees = tau > 0 if verdict == "held" else tau < 0
        ends = " to ".join(f"{score(numbers[end].value)} at {depths[end].cutoff}" for end in (0, -1))
        what = f"{claimed.quantity} of {self.metric}, by how much {depths[-1].cutoff} is {self.direction} than {depths[0].cutoff}"
        towards = f"{int((steps > 0).sum())} of {len(steps)} steps in this direction, τ {score(tau)}"
        numbers_in_words = f"{claimed.quantity} {ends}; {towards} ({lead.basis})"
        return judge_number(what, lead, region, numbers_in_words, verdict if agrees else "undecided")

    def words(self, ground: Ground) -> str:
        """State whether the metric gets better or worse with deeper cut-offs, and by which quantity."""
        claimed = ClaimedQuantity.of(ground, self.analysis, self.quantity)
        return f"{self.metric} gets {self.direction} by {claimed.quantity} with deeper cut-offs ({claimed.name})"

    def _metric_by_depth(self, claimed: ClaimedQuantity) -> list[MeasuredAt]:
        """Return the metric at each of its cut-offs, shallowest first."""
        written = {metric_at.metric.spec.name for metric_at in claimed.metrics}
        try:
            metric = measured(f"{self.metric}@1").metric
        except SpecError as error:
            raise SpecError(f"metric: no '{self.metric}'", allowed=", ".join(sorted(written))) from error
        at_depths = [metric_at for metric_at in claimed.metrics if metric_at.metric == metric and not metric_at.is_whole]
        return sorted(at_depths, key=lambda metric_at: metric_at.cutoff)
