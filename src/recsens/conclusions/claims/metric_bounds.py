"""The numbers that an analysis finds for metrics lie between two bounds."""

import math

from pydantic import Field

from recsens.conclusions.claims import Claim, ClaimOutcome, Evidence, Ground, Known, Region
from recsens.conclusions.claims._metric_findings import ANALYSIS, QUANTITY, ClaimedQuantity
from recsens.conclusions.claims._parameters import Between, with_interval
from recsens.conclusions.dimensions import Names
from recsens.errors import SpecError
from recsens.tables.numbers import tick


class MetricBounds(Claim):
    """All numbers that an analysis finds for some metrics, or only those at one point of its axis, lie between two bounds.

    The claim is held if all intervals lie between the bounds, not held if one interval lies wholly outside, and otherwise
    undecided. A number without an interval counts as exact. The claim reports the number farthest outside the bounds or, if none is
    outside, the number closest to a bound. In findings about two metrics, such as agreements, both metrics must be among
    ``metrics``; the agreement of a metric with itself does not count.
    """

    analysis: str = ANALYSIS
    quantity: str = QUANTITY
    between: Between = Field((0.0, 1.0), description="the two bounds, the lower bound first")
    metrics: Names = Field((), description="metrics with their cut-offs; by default all metrics that are analysed")
    at: float | int | None = Field(None, description="a point on the analysis's axis; by default every point")

    def check(self, ground: Ground) -> None:
        """Refuse an analysis, quantity or metric that the study lacks."""
        claimed = self._asked(ground)
        for name in self.metrics:
            claimed.metric("metrics", name)
        if self.at is not None and not claimed.analysis.axis:
            raise SpecError(f"at: '{claimed.name}' has no axis", remedy="leave 'at' out")
        if self.at is not None and claimed.quantity not in claimed.analysis.several:
            raise SpecError(f"at: '{claimed.quantity}' has one number per metric, not one per point", remedy="leave 'at' out")

    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge every number."""
        claimed = self._asked(ground)
        region = Region(*self.between)
        numbers = self._found(claimed, evidence, ground.dataset)
        if not numbers:
            none = math.nan
            return ClaimOutcome("undecided", claimed.quantity, none, none, none, region, "no such number", "no such number")
        answers = [region.verdict(*nearest.interval) for nearest in numbers.values()]
        name = min(numbers, key=lambda label: self._room(numbers[label].value))
        nearest = numbers[name]
        return ClaimOutcome(
            "not held" if "not held" in answers else "undecided" if "undecided" in answers else "held",
            f"{claimed.quantity} of {name}",
            nearest.value,
            *nearest.interval,
            region,
            nearest.basis,
            _told(numbers),
        )

    def words(self, ground: Ground) -> str:
        """State the quantity and the bounds."""
        claimed = self._asked(ground)
        of = " and ".join(self.metrics) or "every metric"
        where = "" if self.at is None else f" at {tick(self.at)}"
        low, high = self.between
        return f"{claimed.quantity} of {of}{where} lies between {tick(low)} and {tick(high)} ({claimed.name})"

    def _found(self, claimed: ClaimedQuantity, evidence: Evidence, dataset: str) -> dict[str, Known]:
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

    def _room(self, value: float) -> float:
        low, high = self.between
        return -math.inf if math.isnan(value) else min(value - low, high - value)

    def _asked(self, ground: Ground) -> ClaimedQuantity:
        return ClaimedQuantity.of(ground, self.analysis, self.quantity)


def _told(numbers: dict[str, Known]) -> str:
    """Write the number if there is only one, and otherwise the lowest and the highest number."""
    phrases = {name: f"{name}: {with_interval(number.value, *number.interval, number.basis)}" for name, number in numbers.items()}
    ends = dict.fromkeys(end(numbers, key=lambda label: numbers[label].value) for end in (min, max))
    if len(ends) == 1:
        return phrases[next(iter(ends))]
    return f"{len(numbers)} numbers, from {' to '.join(phrases[name] for name in ends)}"
