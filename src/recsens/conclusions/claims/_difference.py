"""Code shared by two claims: that two systems differ, and that they do not."""

import math
from typing import ClassVar

from pydantic import Field

from recsens.conclusions.claims._base import Claim, ClaimOutcome, Region, Verdict, by_interval
from recsens.conclusions.claims._evidence import NO_INTERVAL, Evidence, Known
from recsens.conclusions.claims._parameters import METRIC, A, B, Quantity, at, check_pair, quantity, with_interval
from recsens.conclusions.dimensions import Name
from recsens.outcomes.winner import significant
from recsens.study import Ground
from recsens.tables.numbers import tick


class Apart(Claim):
    """A claim about the size of a difference between two systems, whichever is better."""

    is_apart: ClassVar[bool]
    """Whether the claim says that the two systems differ."""

    a: Name = A
    b: Name = B
    metric: Name = METRIC
    margin: float | int | None = Field(
        None, gt=0, description="differences up to this number do not matter, in units of the metric"
    )

    def check(self, ground: Ground) -> None:
        """Refuse a pair that the study does not compare, or a metric that it does not measure."""
        check_pair(ground.experiment, self.a, self.b)
        quantity(ground.experiment, self.metric)

    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge by the interval of the difference, or by the test."""
        of = quantity(ground.experiment, self.metric)
        difference = evidence.difference(at(ground, self.a, of), at(ground, self.b, of), of)
        size = _size(difference)
        if self.margin is None:
            verdict, region = self._without_margin(difference, of, ground.experiment.alpha), self._asked(difference.margin)
            return ClaimOutcome(
                verdict, self._of(of), abs(difference.value), *size, region, difference.basis, self._numbers(difference)
            )
        return by_interval(
            self._of(of), abs(difference.value), size, self._asked(float(self.margin)), difference.basis, self._numbers(difference)
        )

    def _asked(self, margin: float) -> Region:
        return Region(margin, is_open=True) if self.is_apart else Region(0.0, margin)

    def _without_margin(self, difference: Known, of: Quantity, alpha: float) -> Verdict:
        """Judge by the verdict on the pair. If the test finds no difference, the claim is undecided."""
        if difference.winner or (not of.ranks and significant(difference.p_value, alpha)):
            return "held" if self.is_apart else "not held"
        # If there is a p-value and the interval is [0, 0], both systems have the same value for every user. Without an interval, a
        # difference of 0 can be chance.
        is_alike = difference.basis != NO_INTERVAL and difference.interval == (0.0, 0.0) and not math.isnan(difference.p_value)
        if difference.is_equivalent or is_alike:
            return "not held" if self.is_apart else "held"
        return "undecided"

    def _of(self, of: Quantity) -> str:
        return f"size of the difference of {self.a} and {self.b} by {of.name}"

    def _numbers(self, difference: Known) -> str:
        margin = "" if self.margin is None else f", margin {tick(self.margin)}"
        numbers = with_interval(difference.value, *difference.interval, difference.basis, difference.p_value)
        return f"{self.a} − {self.b}: {numbers}{margin}"

    def words(self, ground: Ground) -> str:
        """State that the systems differ, or that they are tied."""
        margin = "" if self.margin is None else f" (margin {tick(self.margin)})"
        name = quantity(ground.experiment, self.metric).name
        return f"{self.a} and {self.b} {'differ' if self.is_apart else 'are tied'} by {name}{margin}"


def _size(difference: Known) -> tuple[float, float]:
    """Return the interval of the absolute difference."""
    ends = sorted((abs(difference.low), abs(difference.high)))
    return (0.0 if difference.low < 0 < difference.high else ends[0]), ends[1]
