"""Findings of an analysis as evidence for claims about metrics."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from pydantic import Field

from recsens.conclusions.claims._evidence import NO_INTERVAL, Evidence, Known
from recsens.conclusions.verdicts.components import measured
from recsens.conclusions.verdicts.study_tables import records
from recsens.errors import SpecError, nearest
from recsens.metrics import MeasuredAt
from recsens.study import Ground

if TYPE_CHECKING:
    from recsens.conclusions.meta import MetricAnalysis

ANALYSIS: Any = Field("", description="name of an analysis in the study's ``meta``; by default the only analysis there")
QUANTITY: Any = Field("", description="a quantity of the analysis; by default the quantity by which metrics are ordered")
METRIC_AT: Any = Field("", description="a metric that the analysis covers, with its cut-off")

_NAN = float("nan")


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
            known_over_all = [
                name_of_quantity for name_of_quantity in analysis.quantities if name_of_quantity not in analysis.not_averaged
            ]
            raise SpecError(
                f"quantity: '{quantity}' is not averaged over folds, and claims are about all folds",
                allowed=", ".join(known_over_all),
            )
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

    def found(self, evidence: Evidence, dataset: str, metric: MeasuredAt, at: float = _NAN) -> Known:
        """Return a metric's finding over all folds at a point of the axis; ``at`` is NaN for a finding without a point."""
        rows = self.rows(evidence, dataset)
        mine = [row for row in rows if row["metric_full"] == str(metric) and _same(row["at"], at)]
        if len(mine) != 1 or math.isnan(mine[0]["value"]):
            return Known(_NAN, _NAN, _NAN, "no such number")
        return self.known(mine[0])

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


def _same(one: float, other: float) -> bool:
    return (math.isnan(one) and math.isnan(other)) or one == other
