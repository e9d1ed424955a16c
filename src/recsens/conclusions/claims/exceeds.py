"""One number that is larger than another, by a difference or a factor."""

from typing import Annotated

from pydantic import BeforeValidator, Field

from recsens.conclusions.claims import Claim, ClaimOutcome, Evidence, Ground, Known, Region, by_interval
from recsens.conclusions.claims._evidence import less
from recsens.conclusions.claims._parameters import METRIC, PAIRED, Quantity, at, check_system, quantity, with_interval, with_option
from recsens.conclusions.dimensions import Name, as_text
from recsens.errors import SpecError
from recsens.plugins.specs import format_number
from recsens.tables.numbers import score, tick

Term = Annotated[str | float | int, BeforeValidator(as_text)]
"""Label of a system, or a number."""


class Exceeds(Claim):
    """``a > factor · b + by``, where ``a`` and ``b`` are the values of two systems, or one of them is a number.

    The claim is held if the interval of ``a - factor · b`` lies above ``by``, not held if it lies below ``by``, and otherwise
    undecided. If ``factor`` is 1 and the study compares the two systems, the interval is over users. Otherwise the interval is over
    folds, and the two standard errors are treated as independent. The claim says only that a number is larger; a larger value need
    not be better.
    """

    a: Term = Field("", description="label of the system with the larger value, or the larger number")
    b: Term = Field(
        0.0, description="label of the system with the smaller value, or a number, such as a value that is known analytically"
    )
    metric: Name = METRIC
    by: float | int = Field(0.0, description="smallest difference that is claimed, in units of the metric")
    factor: float | int = Field(1.0, gt=0, description="factor by which ``b`` is multiplied")
    b_with: Name = Field(
        "", description="an option of the study's designs that replaces the claim's option for ``b``, such as condensed"
    )
    paired: bool = PAIRED

    def check(self, ground: Ground) -> None:
        """Refuse unknown systems, and a claim in which ``a`` and ``b`` are both numbers."""
        for key, term in (("a", self.a), ("b", self.b)):
            if isinstance(term, str):
                check_system(ground.experiment, key, term)
        if not isinstance(self.a, str) and not isinstance(self.b, str):
            raise SpecError("a and b are both numbers", allowed="at least one label of a system")
        if self.b_with and not isinstance(self.b, str):
            raise SpecError(f"b_with: b is the number {_name(self.b)}", remedy="name a system")
        self._other(ground)
        quantity(ground.experiment, self.metric)

    def judge(self, ground: Ground, evidence: Evidence) -> ClaimOutcome:
        """Judge by the interval of the difference."""
        of = quantity(ground.experiment, self.metric)
        difference = self._difference(ground, evidence, of)
        what = f"{_name(self.a)} − {self._times}{_name(self.b)}{self._with}"
        terms = [(self.a, ground, ""), (self.b, self._other(ground), self._with)]
        values = [
            f"{term}{condition} {score(self._value(term, where, evidence, of).value)}"
            for term, where, condition in terms
            if _is_label(term)
        ]
        numbers = f"{', '.join(values)}; {what}: {with_interval(difference.value, *difference.interval, difference.basis)}"
        region = Region(float(self.by), is_open=True)
        return by_interval(f"{of.name}: {what}", difference.value, difference.interval, region, difference.basis, numbers)

    def words(self, ground: Ground) -> str:
        """State what exceeds what."""
        by = f" by {tick(self.by)}" if self.by else ""
        name = quantity(ground.experiment, self.metric).name
        other = f"{'that of ' if _is_label(self.b) else ''}{_name(self.b)}{self._with}"
        return f"{name} of {_name(self.a)} exceeds {self._times}{other}{by}"

    def _difference(self, ground: Ground, evidence: Evidence, of: Quantity) -> Known:
        if isinstance(self.a, str) and isinstance(self.b, str) and self.factor == 1:
            return evidence.difference(at(ground, self.a, of), at(self._other(ground), self.b, of), of, paired=self.paired)
        first, second = self._value(self.a, ground, evidence, of), self._value(self.b, self._other(ground), evidence, of)
        return less(first, second.scaled(self.factor))

    def _value(self, term: str | float, ground: Ground, evidence: Evidence, of: Quantity) -> Known:
        if isinstance(term, str):
            return evidence.value(at(ground, term, of), of)
        return Known(float(term), float(term), float(term), "")

    def _other(self, ground: Ground) -> Ground:
        """Return the data set and the design of ``b``."""
        return with_option(ground, self.b_with) if self.b_with else ground

    @property
    def _with(self) -> str:
        return f" with {self.b_with}" if self.b_with else ""

    @property
    def _times(self) -> str:
        return "" if self.factor == 1 else f"{format_number(self.factor)} × "


def _is_label(term: str | float) -> bool:
    return isinstance(term, str)


def _name(term: str | float) -> str:
    return term if isinstance(term, str) else tick(term)
