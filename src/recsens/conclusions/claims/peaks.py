"""Values that are highest, or lowest, within an interval of a number."""

from typing import Literal

from pydantic import Field

from recsens.conclusions.claims import Claim, ClaimOutcome, Evidence, Ground, Region
from recsens.conclusions.claims._along_dimension import check_line
from recsens.conclusions.claims._parameters import METRIC, OVER, SYSTEM, Between, check_system, quantity, with_interval
from recsens.conclusions.dimensions import Name
from recsens.errors import SpecError
from recsens.tables.numbers import score, tick

_BEYOND = Region(0.0, is_open=True)


class Peaks(Claim):
    """The value of a system is highest, or lowest, at a point within ``between``.

    The most extreme point inside ``between`` is compared with every point outside. The claim is held if each difference's interval
    shows that the point inside is more extreme. The claim is not held if some point outside is certainly more extreme than every
    point inside. Otherwise it is undecided. Differences between two systems that the study compares have the test's interval over
    users; other intervals are over folds. The reported number is the smallest lead of the point inside over a point outside.
    """

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
