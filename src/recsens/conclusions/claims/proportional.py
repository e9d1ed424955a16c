"""Values that are proportional, or inversely proportional, to a number."""

from collections.abc import Callable
from typing import ClassVar

from pydantic import Field

from recsens.conclusions.claims import Ground
from recsens.conclusions.claims._parameters import quantity
from recsens.conclusions.claims._within_tolerance import Steady
from recsens.errors import SpecError
from recsens.tables.numbers import tick


class Proportional(Steady):
    """The value of a system is c · x along ``over``, or c / x if ``inverse``, with the same c everywhere.

    At each point, c is value / x, or value · x if ``inverse``. The claim is held if every c's interval over folds lies within
    ``tolerance`` of the overall mean (as a share of the mean), not held if one interval lies wholly outside, and otherwise
    undecided. The mean itself counts as exact.
    """

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
