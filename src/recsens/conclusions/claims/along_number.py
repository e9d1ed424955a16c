"""How a system's values change along a number, or another dimension of the experiment.

constant: Values that do not depend on a number.
proportional: Values that are proportional, or inversely proportional, to a number.
monotone: Values that rise, or fall, along a number.
peaks: Values that are highest, or lowest, within an interval of a number.
"""

import math
from collections.abc import Callable
from itertools import pairwise
from typing import ClassVar, Literal

from pydantic import Field

from recsens.conclusions.claims import Claim, ClaimOutcome, Evidence, Ground, Region
from recsens.conclusions.claims._along_dimension import Along, check_line
from recsens.conclusions.claims._evidence import together
from recsens.conclusions.claims._parameters import METRIC, OVER, SYSTEM, Between, check_system, quantity, with_interval
from recsens.conclusions.dimensions import Name
from recsens.errors import SpecError
from recsens.tables.numbers import percentage, score, tick


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
        shares = [number_at.scaled(1 / mean, -1.0) if mean else number_at.scaled(math.nan) for number_at in numbers]
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


class Constant(Steady):
    """The value of a system is constant along ``over``: it stays within ``tolerance`` of its mean, as a share of this mean.

    The claim is held if every value's interval over folds lies within the tolerance, not held if one interval lies wholly outside
    the tolerance, and otherwise undecided. The mean itself counts as exact.
    """

    label = "constant"

    def words(self, ground: Ground) -> str:
        """State what is constant."""
        return f"{quantity(ground.experiment, self.metric, self.over).name} of {self.system} is constant over {self.over}"


class Proportional(Steady):
    """The value of a system is c · x along ``over``, or c / x if ``inverse``, with the same c everywhere.

    At each point, c is value / x, or value · x if ``inverse``. The claim is held if every c's interval over folds lies within
    ``tolerance`` of the overall mean (as a share of the mean), not held if one interval lies wholly outside, and otherwise
    undecided. The mean itself counts as exact.
    """

    label = "proportional"
    least: ClassVar[int] = 3
    numeric: ClassVar[bool] = True

    inverse: bool = Field(default=False, description="whether the value is inversely proportional")

    def factor(self) -> Callable[[float], float]:
        """Return the factor by which a value is multiplied; if the claim is true, the product is the same at every point."""
        return (lambda x: x) if self.inverse else (lambda x: 1 / x)

    def check(self, ground: Ground) -> None:
        """Refuse a claim about anything that the study lacks, or points that are not above zero."""
        super().check(ground)
        line = self.along(ground)
        if min(line.numbers) <= 0:
            raise SpecError(f"over: {tick(min(line.numbers))} of '{self.over}'", allowed="numbers above zero")

    def words(self, ground: Ground) -> str:
        """State what is proportional to what."""
        name = quantity(ground.experiment, self.metric, self.over).name
        return f"{name} of {self.system} is {'inversely ' if self.inverse else ''}proportional to {self.over}"


class Monotone(Claim):
    """The value of a system rises, or falls, along ``over``.

    The claim says two things: no step from one point to the next goes in the other direction by more than ``tolerance``, and the
    value changes in the claimed direction from the first point to the last. The claim is held if the intervals of all steps and of
    the whole change show this. It is not held if the interval of one step lies wholly on the wrong side of the tolerance, or if the
    interval of the whole change lies wholly on the wrong side of zero. Otherwise it is undecided. A step between two systems that
    the study compares has the test's interval over users; other intervals are over folds. The reported number is the step that
    comes closest to the wrong direction.
    """

    label = "monotone"

    system: Name = SYSTEM
    metric: Name = METRIC
    over: Name = OVER
    direction: Literal["rises", "falls"] = Field("rises", description="the direction")
    tolerance: float | int = Field(
        0, ge=0, description="largest step in the other direction that is allowed, in units of the metric"
    )

    def check(self, ground: Ground) -> None:
        """Refuse a claim about anything that the study lacks, or about fewer than two points."""
        check_system(ground.experiment, "system", self.system)
        check_line(ground, self.over, self.system, quantity(ground.experiment, self.metric, self.over))

    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge every step, and the whole change."""
        of = quantity(ground.experiment, self.metric, self.over)
        line = check_line(ground, self.over, self.system, of)
        places, at = list(line.at), list(line.at.values())
        sign = 1.0 if self.direction == "rises" else -1.0
        steps = [evidence.difference(after, before, of).scaled(sign) for before, after in pairwise(at)]
        way = evidence.difference(at[-1], at[0], of).scaled(sign)
        allowed, beyond = Region(-float(self.tolerance)), Region(0.0, is_open=True)
        answers = [*(allowed.verdict(*step.interval) for step in steps), beyond.verdict(*way.interval)]
        worst = min(range(len(steps)), key=lambda number: steps[number].low)
        step = steps[worst].scaled(sign)
        values = [evidence.value(each, of).value for each in at]
        numbers_in_words = with_interval(step.value, *step.interval, step.basis)
        if len(steps) > 1:
            worst_step = f"step {places[worst].label} to {places[worst + 1].label}: {numbers_in_words}"
            numbers_in_words = f"from {score(values[0])} to {score(values[-1])}; {worst_step}"
        return ClaimOutcome(
            "not held" if "not held" in answers else "undecided" if "undecided" in answers else "held",
            f"{of.name} of {self.system}, step from {places[worst].label} to {places[worst + 1].label}",
            step.value,
            *step.interval,
            allowed if sign > 0 else Region(high=float(self.tolerance)),
            step.basis,
            numbers_in_words,
        )

    def words(self, ground: Ground) -> str:
        """State what rises or falls."""
        return f"{quantity(ground.experiment, self.metric, self.over).name} of {self.system} {self.direction} over {self.over}"


_BEYOND = Region(0.0, is_open=True)


class Peaks(Claim):
    """The value of a system is highest, or lowest, at a point within ``between``.

    The most extreme point inside ``between`` is compared with every point outside. The claim is held if each difference's interval
    shows that the point inside is more extreme. The claim is not held if some point outside is certainly more extreme than every
    point inside. Otherwise it is undecided. Differences between two systems that the study compares have the test's interval over
    users; other intervals are over folds. The reported number is the smallest lead of the point inside over a point outside.
    """

    label = "peaks"

    system: Name = SYSTEM
    metric: Name = METRIC
    over: Name = OVER
    between: Between = Field((0.0, 1.0), description="the interval in which the extreme lies: two numbers on ``over``")
    extreme: Literal["highest", "lowest"] = Field("highest", description="which extreme")

    def check(self, ground: Ground) -> None:
        """Refuse a claim about anything that the study lacks, or an interval that contains no point or all points."""
        check_system(ground.experiment, "system", self.system)
        line = check_line(ground, self.over, self.system, quantity(ground.experiment, self.metric, self.over))
        inside = [self._is_within(number) for number in line.numbers]
        if all(inside) or not any(inside):
            numbers = ", ".join(map(tick, line.numbers))
            raise SpecError(f"between: {'every' if all(inside) else 'no'} value of '{self.over}' lies within: {numbers}")

    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge by the lead of the best point inside over every point outside."""
        of = quantity(ground.experiment, self.metric, self.over)
        line = check_line(ground, self.over, self.system, of)
        sign = 1.0 if self.extreme == "highest" else -1.0
        values = {place: sign * evidence.value(coordinates, of).value for place, coordinates in line.at.items()}
        inside = [place for place in line.at if self._is_within(place.number or 0.0)]
        outside = [place for place in line.at if place not in inside]
        leads = {
            (one, other): evidence.difference(line.at[one], line.at[other], of).scaled(sign) for one in inside for other in outside
        }
        best = max(inside, key=lambda place: values[place])
        rival = min(outside, key=lambda place: leads[best, place].low)
        is_held = all(leads[best, other].low > 0 for other in outside)
        is_beaten = any(all(leads[one, other].high < 0 for one in inside) for other in outside)
        lead = leads[best, rival]
        return ClaimOutcome(
            "held" if is_held else "not held" if is_beaten else "undecided",
            f"lead of {of.name} of {self.system} at {best.label} over that at {rival.label}",
            lead.value,
            *lead.interval,
            _BEYOND,
            lead.basis,
            f"{score(sign * values[best])} at {best.on_axis}, {score(sign * values[rival])} at {rival.on_axis}; "
            f"lead {with_interval(lead.value, *lead.interval, lead.basis)}",
        )

    def words(self, ground: Ground) -> str:
        """State where the extreme lies."""
        name, (low, high) = quantity(ground.experiment, self.metric, self.over).name, map(tick, self.between)
        return f"{name} of {self.system} is {self.extreme} at {self.over} {low} to {high}"

    def _is_within(self, number: float) -> bool:
        return self.between[0] <= number <= self.between[1]
