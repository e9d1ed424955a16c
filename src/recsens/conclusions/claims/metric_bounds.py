"""The numbers that an analysis finds for metrics lie between two bounds."""

import math

from pydantic import Field

from recsens.conclusions.claims import Claim, ClaimOutcome, Evidence, Ground, Known, Region
from recsens.conclusions.claims._metric_findings import ANALYSIS, QUANTITY, ClaimedQuantity
from recsens.conclusions.claims._parameters import Between, with_interval
from recsens.conclusions.dimensions.naming import Names
from recsens.errors import SpecError
from recsens.tables.numbers import tick


class MetricBounds(Claim):
    """Every number that an analysis finds, for some metrics and perhaps at one place of its axis, lies between two bounds.

    Held if the intervals of all numbers do, not held if one lies wholly outside, else undecided; a number without an interval is
    taken as exact. The number reported is the one farthest outside or, if none is outside, the one nearest to a bound. In findings
    about two metrics, such as agreements, both must be among ``metrics``, and a metric's agreement with itself does not count.
    """

    analysis: str = ANALYSIS
    quantity: str = QUANTITY
    between: Between = Field((0.0, 1.0), description="the two bounds, the lower first")
    metrics: Names = Field((), description="metrics with their cut-offs; by default all that are analysed")
    at: float | int | None = Field(None, description="a place of the analysis's axis; by default every one")

    def check(self, ground: Ground) -> None:
        """Refuse an analysis, quantity or metric that the study lacks."""
        asked = self._asked(ground)
        for name in self.metrics:
            asked.metric("metrics", name)
        if self.at is not None and not asked.analysis.axis:
            raise SpecError(f"at: '{asked.name}' has no axis", remedy="leave 'at' out")
        if self.at is not None and asked.quantity not in asked.analysis.several:
            raise SpecError(f"at: '{asked.quantity}' has one number per metric, not one per place", remedy="leave 'at' out")

    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge every number."""
        asked = self._asked(ground)
        region = Region(*self.between)
        found = self._found(asked, evidence, ground.dataset)
        if not found:
            none = math.nan
            return ClaimOutcome("undecided", asked.quantity, none, none, none, region, "no such number", "no such number")
        answers = [region.verdict(*known.interval) for known in found.values()]
        name = min(found, key=lambda each: self._room(found[each].value))
        known = found[name]
        return ClaimOutcome(
            "not held" if "not held" in answers else "undecided" if "undecided" in answers else "held",
            f"{asked.quantity} of {name}",
            known.value,
            *known.interval,
            region,
            known.basis,
            _told(found),
        )

    def words(self, ground: Ground) -> str:
        """State the quantity and the bounds."""
        asked = self._asked(ground)
        of = " and ".join(self.metrics) or "every metric"
        where = "" if self.at is None else f" at {tick(self.at)}"
        low, high = self.between
        return f"{asked.quantity} of {of}{where} lies between {tick(low)} and {tick(high)} ({asked.name})"

    def _found(self, asked: ClaimedQuantity, evidence: Evidence, dataset: str) -> dict[str, Known]:
        chosen = {str(asked.metric("metrics", name)) for name in self.metrics} or {str(each) for each in asked.metrics}
        found: dict[str, Known] = {}
        for row in asked.rows(evidence, dataset):
            metric, against = row["metric_full"], row["against_full"]
            if metric not in chosen or metric == against or (against and against not in chosen):
                continue
            if self.at is not None and row["at"] != self.at:
                continue
            turned = found.get(f"{row['against']} and {row['metric']}")
            if turned is not None and turned.value == row["value"]:
                continue
            place = "" if self.at is not None or math.isnan(row["at"]) else f" at {tick(row['at'])}"
            found[" and ".join(filter(None, [row["metric"], row["against"]])) + place] = asked.known(row)
        return found

    def _room(self, value: float) -> float:
        low, high = self.between
        return -math.inf if math.isnan(value) else min(value - low, high - value)

    def _asked(self, ground: Ground) -> ClaimedQuantity:
        return ClaimedQuantity.of(ground, self.analysis, self.quantity)


def _told(found: dict[str, Known]) -> str:
    """Write the only number, or the lowest and the highest of several."""
    told = {name: f"{name}: {with_interval(known.value, *known.interval, known.basis)}" for name, known in found.items()}
    ends = dict.fromkeys(end(found, key=lambda each: found[each].value) for end in (min, max))
    if len(ends) == 1:
        return told[next(iter(ends))]
    return f"{len(found)} numbers, from {' to '.join(told[name] for name in ends)}"
