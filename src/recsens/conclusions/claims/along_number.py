"""How a system's values change along a number, or another dimension of the experiment.

constant: Values that do not depend on a number.
proportional: Values that are proportional, or inversely proportional, to a number.
monotone: Values that rise, or fall, along a number.
peaks: Values that are highest, or lowest, within an interval of a number.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar, Literal

from pydantic import Field

from recsens.conclusions.claims import Claim, ClaimOutcome, Evidence, Ground, Region
from recsens.conclusions.claims._evidence import together
from recsens.conclusions.claims._parameters import METRIC, OVER, SYSTEM, Between, Quantity, check_system, quantity, with_interval
from recsens.conclusions.design_space import option_of, parameters
from recsens.conclusions.dimensions import Coordinates, Dimension, Name, Place, dimensions, refuse_single
from recsens.errors import SpecError
from recsens.plugins.specs import Spec, Value
from recsens.study import Decisions, Experiment
from recsens.study.taxonomy import decision
from recsens.tables.numbers import percentage, score, tick


@dataclass(frozen=True)
class Along:
    """A dimension, and the coordinates at each of its points, in order.

    Attributes
    ----------
    dimension
        The dimension.
    at
        The coordinates of the number at each point.
    """

    dimension: Dimension
    at: dict[Place, Coordinates]

    @property
    def numbers(self) -> list[float]:
        """The numeric values of the points."""
        return [place.number or 0.0 for place in self.at]


def line(ground: Ground, over: str, system: str, of: Quantity, *, numeric: bool = True) -> Along | None:
    """Return the coordinates of a system's numbers along a dimension; None if the system's numbers do not vary along the dimension.

    The design, the data set, the metric and the system are otherwise those of the claim. If the dimension is a parameter of
    options, systems, data sets or metrics, components that agree in all other parameters belong to one line.

    Raises SpecError if the experiment has no such dimension, if the dimension has only one point, or if a point is not a number or
    has two results.
    """
    experiment = ground.experiment
    dimension = dimensions([over], experiment)[0]
    refuse_single(dimension, experiment)
    start = Coordinates(ground.dataset, system, of.metric, ground.design)
    at_places: dict[Place, Coordinates] = {}
    for coordinates in _beside(start, dimension, experiment):
        place = dimension.place(coordinates)
        if place is None:
            continue
        if numeric and place.number is None:
            # Of the decisions without parameters, only this one may be a number or the default of the scale.
            in_all = "give every design a number, also the base design, such as design: {relevance: 4}"
            remedy = in_all if over == "relevance" else "name a parameter, such as split.ratio"
            raise SpecError(f"over: '{place.label}' of '{over}' is not a number", remedy=remedy)
        if place in at_places:
            raise SpecError(
                f"over: there are two numbers at {place.label} of '{over}'", remedy="name one parameter in which they differ"
            )
        at_places[place] = coordinates
    if dimension.frees == "system" and dimension.place(start) is None:
        return None
    return Along(dimension, dict(sorted(at_places.items(), key=lambda item: item[0].number or 0.0)))


def check_line(ground: Ground, over: str, system: str, of: Quantity, least: int = 2, *, numeric: bool = True) -> Along:
    """Call `line`, and refuse a system that does not vary or has too few points; raises the same errors as `line`."""
    along = line(ground, over, system, of, numeric=numeric)
    if along is None:
        raise SpecError(f"over: '{system}' does not vary along '{over}'", remedy="name a system that varies along it")
    if len(along.at) < least:
        labels = ", ".join(place.label for place in along.at)
        raise SpecError(
            f"over: {len(along.at)} values of '{over}' ({labels}) under the claim's design",
            allowed=f"{least} or more",
            remedy="vary it, or leave out 'under'",
        )
    return along


def _beside(start: Coordinates, dimension: Dimension, experiment: Experiment) -> Iterator[Coordinates]:
    """Yield the coordinates that differ from ``start`` only along the dimension."""
    match dimension.frees:
        case "system":
            alike = _alike("recommender", dimension.name, _texts(experiment.systems), start.system)
            yield from (replace(start, system=label) for label in experiment.systems if alike(label))
        case "dataset":
            alike = _alike("dataset", dimension.name, _texts(experiment.datasets), start.dataset)
            yield from (replace(start, dataset=label) for label in experiment.datasets if alike(label))
        case "cutoff":
            same = [at for at in experiment.metrics if at.metric.spec == start.metric.metric.spec and not at.is_whole]
            yield from (replace(start, metric=at) for at in same)
        case "metric":
            depths = [at for at in experiment.metrics if at.cutoff == start.metric.cutoff]
            texts = {str(at): str(at.metric.spec) for at in depths}
            alike = _alike("metric", dimension.name, texts, str(start.metric))
            yield from (replace(start, metric=at) for at in depths if alike(str(at)))
        case key:
            yield from (replace(start, design=design) for design in _designs(start, dimension, experiment, key))


def _texts(specs: Mapping[str, Spec]) -> dict[str, str]:
    return {label: str(spec) for label, spec in specs.items()}


def _designs(start: Coordinates, dimension: Dimension, experiment: Experiment, key: str) -> Iterator[Decisions]:
    varied = decision(key)
    designs = experiment.designs()
    options = {option_of(varied, design): option_of(varied, design) for design in designs}
    alike = _alike(varied.kind, dimension.name, options, option_of(varied, start.design))
    for design in designs:
        same = all(getattr(design, other) == getattr(start.design, other) for other in type(design).model_fields if other != key)
        if same and alike(option_of(varied, design)):
            yield design


def _alike(kind: str | None, name: str, texts: Mapping[str, str], base: str) -> Callable[[str], bool]:
    """Return a function that accepts a label if its component equals the base component except in the dimension's parameter.

    If the base lacks the parameter, every component is accepted.
    """
    inner = name.rpartition(".")[2]
    is_parameter = kind is not None and "." in name

    def split(label: str) -> tuple[dict[str, Value], dict[str, Value]]:
        flat = parameters(kind or "", texts[label])
        own = {key: value for key, value in flat.items() if "/" in key and key.rpartition("/")[2] == inner}
        return own, {key: value for key, value in flat.items() if key not in own}

    own, common = split(base) if is_parameter else ({}, {})
    return lambda label: not own or split(label)[1] == common


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
