"""Code shared by ``constant`` and ``proportional``: whether numbers along a dimension are equal within a tolerance."""

from collections.abc import Callable
from typing import ClassVar

from pydantic import Field

from recsens.conclusions.claims._along_dimension import Along, check_line
from recsens.conclusions.claims._base import Claim, ClaimOutcome, Region
from recsens.conclusions.claims._evidence import Evidence, together
from recsens.conclusions.claims._parameters import METRIC, OVER, SYSTEM, check_system, quantity
from recsens.conclusions.dimensions import Name
from recsens.study import Ground
from recsens.tables.numbers import percentage, score

_NAN = float("nan")


class Steady(Claim):
    """A claim that a number, computed from each point and the system's value at this point, is the same at every point."""

    system: Name = SYSTEM
    metric: Name = METRIC
    over: Name = OVER
    tolerance: float | int = Field(
        0.1, gt=0, lt=1, description="largest deviation from the mean of all points, as a share of this mean"
    )

    def factor(self) -> Callable[[float], float]:
        """Return the factor that multiplies the value at a point."""
        return lambda _: 1.0

    least: ClassVar[int] = 2
    """Smallest number of points."""
    numeric: ClassVar[bool] = False
    """Whether the points must be numbers."""

    def along(self, ground: Ground) -> Along:
        """Return the points of the dimension; raises the same errors as `check`."""
        of = quantity(ground.experiment, self.metric, self.over)
        return check_line(ground, self.over, self.system, of, self.least, numeric=self.numeric)

    def check(self, ground: Ground) -> None:
        """Refuse a claim about anything that the study lacks, or about too few points."""
        check_system(ground.experiment, "system", self.system)
        self.along(ground)

    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge by comparing each number's interval with the mean of all numbers."""
        of = quantity(ground.experiment, self.metric, self.over)
        line = self.along(ground)
        factor = self.factor()
        values = [evidence.value(at, of) for at in line.at.values()]
        numbers = [number_at.scaled(factor(x)) for number_at, x in zip(values, line.numbers, strict=True)]
        mean = sum(number_at.value for number_at in numbers) / len(numbers)
        shares = [number_at.scaled(1 / mean, -1.0) if mean else number_at.scaled(_NAN) for number_at in numbers]
        region = Region(-float(self.tolerance), float(self.tolerance))
        answers = [region.verdict(*number_at.interval) for number_at in shares]
        number = max(range(len(shares)), key=lambda nth: max(abs(shares[nth].low), abs(shares[nth].high)))
        farthest, place = shares[number], list(line.at)[number]
        low, high = (percentage(end) for end in farthest.interval)
        return ClaimOutcome(
            "not held" if "not held" in answers else "undecided" if "undecided" in answers else "held",
            f"{of.name} of {self.system} at {place.label}: deviation as a share of the mean",
            farthest.value,
            *farthest.interval,
            region,
            together(values),
            f"from {score(values[0].value)} to {score(values[-1].value)}; farthest from the mean at {place.on_axis}: "
            f"{percentage(farthest.value)} ({low} to {high}), allowed ± {percentage(float(self.tolerance))}",
        )
