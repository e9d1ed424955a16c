"""Values that rise, or fall, along a number."""

from itertools import pairwise
from typing import Literal

from pydantic import Field

from recsens.conclusions.claims import Claim, ClaimOutcome, Evidence, Ground, Region
from recsens.conclusions.claims._along_dimension import check_line
from recsens.conclusions.claims._parameters import METRIC, OVER, SYSTEM, check_system, quantity, with_interval
from recsens.conclusions.dimensions import Name
from recsens.tables.numbers import score


class Monotone(Claim):
    """The value of a system rises, or falls, along ``over``.

    The claim says two things: no step from one point to the next goes in the other direction by more than ``tolerance``, and the
    value changes in the claimed direction from the first point to the last. The claim is held if the intervals of all steps and of
    the whole change show this. It is not held if the interval of one step lies wholly on the wrong side of the tolerance, or if the
    interval of the whole change lies wholly on the wrong side of zero. Otherwise it is undecided. A step between two systems that
    the study compares has the test's interval over users; other intervals are over folds. The reported number is the step that
    comes closest to the wrong direction.
    """

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
