"""A value that equals a given number, within a tolerance."""

from pydantic import Field

from recsens.conclusions.claims import Claim, ClaimOutcome, Evidence, Ground, Region, by_interval
from recsens.conclusions.claims._parameters import METRIC, at, check_system, quantity, with_interval
from recsens.conclusions.dimensions import Name
from recsens.tables.numbers import tick


class Within(Claim):
    """The value of a system lies within ``tolerance`` of a number.

    The claim is held if the value's interval over folds lies within ``value ± tolerance``, not held if it lies outside, and
    otherwise undecided. With one fold, the value itself decides.
    """

    of: Name = Field("", description="label of the system")
    metric: Name = METRIC
    value: float | int = Field(0.0, description="the number, in units of the metric")
    tolerance: float | int = Field(0.01, gt=0, description="largest deviation allowed, in units of the metric")

    def check(self, ground: Ground) -> None:
        """Refuse a system or metric that the study lacks."""
        check_system(ground.experiment, "of", self.of)
        quantity(ground.experiment, self.metric)

    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge by the value's interval."""
        of = quantity(ground.experiment, self.metric)
        found = evidence.value(at(ground, self.of, of), of)
        asked = Region(self.value - self.tolerance, self.value + self.tolerance)
        numbers = f"{self.of}: {with_interval(found.value, *found.interval, found.basis)}, claimed {tick(self.value)} ± {self._off}"
        return by_interval(f"{of.name} of {self.of}", found.value, found.interval, asked, found.basis, numbers)

    def words(self, ground: Ground) -> str:
        """State the number and the tolerance."""
        return f"{quantity(ground.experiment, self.metric).name} of {self.of} is {tick(self.value)} ± {self._off}"

    @property
    def _off(self) -> str:
        return tick(self.tolerance)
