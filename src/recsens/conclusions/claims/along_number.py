"""How a system's values change along a number, or another dimension of the experiment.

constant: Values that do not depend on a number.
proportional: Values that are proportional, or inversely proportional, to a number.
monotone: Values that rise, or fall, along a number.
peaks: Values that are highest, or lowest, within an interval of a number.
"""

import math
from dataclasses import replace
from itertools import pairwise
from typing import ClassVar, Literal

from pydantic import Field

from recsens.conclusions.claims import Claim, ClaimOutcome, Evidence, Ground, Region, Verdict
from recsens.conclusions.claims._along_dimension import check_along, number_at
from recsens.conclusions.claims._base import judge_all, judge_number
from recsens.conclusions.claims._evidence import join_bases
from recsens.conclusions.claims._parameters import METRIC, OVER, SYSTEM, Between, Quantity, check_system, find_quantity
from recsens.conclusions.dimensions import Coordinates, Name, Place
from recsens.errors import SpecError
from recsens.tables.numbers import percentage, score, tick


class AlongNumber(Claim):
    """A claim about the values of a system along a dimension."""

    system: Name = SYSTEM
    metric: Name = METRIC
    over: Name = OVER

    least: ClassVar[int] = 2
    """Smallest number of points."""
    numeric: ClassVar[bool] = True
    """Whether the points must be numbers."""

    def of(self, ground: Ground) -> Quantity:
        """Return the quantity whose values the claim is about."""
        return find_quantity(ground.experiment, self.metric, self.over)

    def along(self, ground: Ground) -> dict[Place, Coordinates]:
        """Return the points of the dimension; raises the same errors as `check`."""
        return check_along(ground, self.over, self.system, self.of(ground), self.least, numeric=self.numeric)

    def check(self, ground: Ground) -> None:
        """Refuse a claim about anything that the study lacks, or about too few points."""
        check_system(ground.experiment, "system", self.system)
        self.along(ground)


class Steady(AlongNumber):
    """A claim that a number, computed from each point and the system's value at this point, is the same at every point."""

    numeric: ClassVar[bool] = False

    tolerance: float | int = Field(
        0.1, gt=0, lt=1, description="largest deviation from the mean of all points, as a share of this mean"
    )

    def factor(self, place: Place) -> float:
        """Return the factor that multiplies the value at a point."""
        return 1.0

    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge by comparing each number's interval with the mean of all numbers."""
        of, line = self.of(ground), self.along(ground)
        values = [evidence.value(at, of) for at in line.values()]
        numbers = [known.scaled(self.factor(place)) for known, place in zip(values, line, strict=True)]
        mean = sum(known.value for known in numbers) / len(numbers)
        shares = [known.scaled(1 / mean, -1.0) if mean else known.scaled(math.nan) for known in numbers]
        region = Region(-float(self.tolerance), float(self.tolerance))
        answers = [region.verdict(*known.interval) for known in shares]
        number = max(range(len(shares)), key=lambda nth: max(abs(shares[nth].low), abs(shares[nth].high)))
        farthest, place = shares[number], list(line)[number]
        low, high = (percentage(end) for end in farthest.interval)
        what = f"{of.name} of {self.system} at {place.label}: deviation as a share of the mean"
        numbers_in_words = (
            f"from {score(values[0].value)} to {score(values[-1].value)}; farthest from the mean at {place.on_axis}: "
            f"{percentage(farthest.value)} ({low} to {high}), allowed ± {percentage(float(self.tolerance))}"
        )
        return judge_number(what, replace(farthest, basis=join_bases(values)), region, numbers_in_words, judge_all(answers))


class Constant(Steady):
    """The value of a system is constant along ``over``: it stays within ``tolerance`` of its mean, as a share of this mean.

    The claim is held if every value's interval over folds lies within the tolerance, not held if one interval lies wholly outside
    the tolerance, and otherwise undecided. The mean itself counts as exact.
    """

    label = "constant"

    def words(self, ground: Ground) -> str:
        """State what is constant."""
        return f"{self.of(ground).name} of {self.system} is constant over {self.over}"


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

    def factor(self, place: Place) -> float:
        """Return the factor by which a value is multiplied; if the claim is true, the product is the same at every point."""
        return number_at(place) if self.inverse else 1 / number_at(place)

    def check(self, ground: Ground) -> None:
        """Refuse a claim about anything that the study lacks, or points that are not above zero."""
        super().check(ground)
        lowest = min(map(number_at, self.along(ground)))
        if lowest <= 0:
            raise SpecError(f"over: {tick(lowest)} of '{self.over}'", allowed="numbers above zero")

    def words(self, ground: Ground) -> str:
        """State what is proportional to what."""
        name = self.of(ground).name
        return f"{name} of {self.system} is {'inversely ' if self.inverse else ''}proportional to {self.over}"


class Monotone(AlongNumber):
    """The value of a system rises, or falls, along ``over``.

    The claim says two things: no step from one point to the next goes in the other direction by more than ``tolerance``, and the
    value changes in the claimed direction from the first point to the last. The claim is held if the intervals of all steps and of
    the whole change show this. It is not held if the interval of one step lies wholly on the wrong side of the tolerance, or if the
    interval of the whole change lies wholly on the wrong side of zero. Otherwise it is undecided. A step between two systems that
    the study compares has the test's interval over users; other intervals are over folds. The reported number is the step that
    comes closest to the wrong direction.
    """

    label = "monotone"

    direction: Literal["rises", "falls"] = Field("rises", description="the direction")
    tolerance: float | int = Field(
        0, ge=0, description="largest step in the other direction that is allowed, in units of the metric"
    )

    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge every step, and the whole change."""
        of, line = self.of(ground), self.along(ground)
        places, at = list(line), list(line.values())
        sign = 1.0 if self.direction == "rises" else -1.0
        steps = [evidence.difference(after, before, of).scaled(sign) for before, after in pairwise(at)]
        way = evidence.difference(at[-1], at[0], of).scaled(sign)
        allowed, beyond = Region(-float(self.tolerance)), Region(0.0, is_open=True)
        answers = [*(allowed.verdict(*step.interval) for step in steps), beyond.verdict(*way.interval)]
        worst = min(range(len(steps)), key=lambda number: steps[number].low)
        step = steps[worst].scaled(sign)
        values = [evidence.value(each, of).value for each in at]
        numbers_in_words = step.in_words()
        if len(steps) > 1:
            worst_step = f"step {places[worst].label} to {places[worst + 1].label}: {numbers_in_words}"
            numbers_in_words = f"from {score(values[0])} to {score(values[-1])}; {worst_step}"
        what = f"{of.name} of {self.system}, step from {places[worst].label} to {places[worst + 1].label}"
        asked = allowed if sign > 0 else Region(high=float(self.tolerance))
        return judge_number(what, step, asked, numbers_in_words, judge_all(answers))

    def words(self, ground: Ground) -> str:
        """State what rises or falls."""
        return f"{self.of(ground).name} of {self.system} {self.direction} over {self.over}"


class Peaks(AlongNumber):
    """The value of a system is highest, or lowest, at a point within ``between``.

    The most extreme point inside ``between`` is compared with every point outside. The claim is held if each difference's interval
    shows that the point inside is more extreme. The claim is not held if some point outside is certainly more extreme than every
    point inside. Otherwise it is undecided. Differences between two systems that the study compares have the test's interval over
    users; other intervals are over folds. The reported number is the smallest lead of the point inside over a point outside.
    """

    label = "peaks"

    between: Between = Field((0.0, 1.0), description="the interval in which the extreme lies: two numbers on ``over``")
    extreme: Literal["highest", "lowest"] = Field("highest", description="which extreme")

    def check(self, ground: Ground) -> None:
        """Refuse a claim about anything that the study lacks, or an interval that contains no point or all points."""
        super().check(ground)
        line = self.along(ground)
        inside = [self._is_within(place) for place in line]
        if all(inside) or not any(inside):
            numbers = ", ".join(tick(number_at(place)) for place in line)
            raise SpecError(f"between: {'every' if all(inside) else 'no'} value of '{self.over}' lies within: {numbers}")

    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge by the lead of the best point inside over every point outside."""
        of, line = self.of(ground), self.along(ground)
        sign = 1.0 if self.extreme == "highest" else -1.0
        values = {place: sign * evidence.value(coordinates, of).value for place, coordinates in line.items()}
        inside = [place for place in line if self._is_within(place)]
        outside = [place for place in line if place not in inside]
        leads = {(one, other): evidence.difference(line[one], line[other], of).scaled(sign) for one in inside for other in outside}
        best = max(inside, key=lambda place: values[place])
        rival = min(outside, key=lambda place: leads[best, place].low)
        is_held = all(leads[best, other].low > 0 for other in outside)
        is_beaten = any(all(leads[one, other].high < 0 for one in inside) for other in outside)
        lead = leads[best, rival]
        what = f"lead of {of.name} of {self.system} at {best.label} over that at {rival.label}"
        ends = f"{score(sign * values[best])} at {best.on_axis}, {score(sign * values[rival])} at {rival.on_axis}"
        verdict: Verdict = "held" if is_held else "not held" if is_beaten else "undecided"
        return judge_number(what, lead, Region(0.0, is_open=True), f"{ends}; lead {lead.in_words()}", verdict)

    def words(self, ground: Ground) -> str:
        """State where the extreme lies."""
        name, (low, high) = self.of(ground).name, map(tick, self.between)
        return f"{name} of {self.system} is {self.extreme} at {self.over} {low} to {high}"

    def _is_within(self, place: Place) -> bool:
        return self.between[0] <= number_at(place) <= self.between[1]
