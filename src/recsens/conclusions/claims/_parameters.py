"""Claim parameters, checked against the experiment: systems, quantities, options and numbers."""

from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from recsens.comparison.groups import Grouping
from recsens.conclusions.design_space import option_of
from recsens.conclusions.dimensions import Coordinates, metrics_of
from recsens.errors import SpecError, nearest
from recsens.metrics import MeasuredAt
from recsens.outcomes.groups import sides_with_values
from recsens.study import Decisions, Experiment, Ground
from recsens.study.taxonomy import DESIGN

A: Any = Field("", description="label of a system")
B: Any = Field("", description="label of the other system")
SYSTEM: Any = Field("", description="label of a system; if ``over`` is a parameter of systems, the label of any system along it")
METRIC: Any = Field(
    "",
    description="a metric of the study, user_coverage, rating_coverage or Coverage@10; by default the first metric that ranks "
    "systems",
)
OVER: Any = Field("split.ratio", description="what varies along the claim: a parameter of a decision or of the systems, or cutoff")

PAIRED: Any = Field(
    default=True,
    description="true: the difference from the test, over users who count for both; false: the difference between the values, "
    "over folds",
)

Number = float | int


_COVERAGES = ("user_coverage", "rating_coverage")

_AT_DEPTH = "Coverage@"


def _as_pair(value: object) -> object:
    if not isinstance(value, tuple):
        return value
    if len(value) != 2 or not all(isinstance(end, Number) and not isinstance(end, bool) for end in value) or value[0] > value[1]:
        raise ValueError("must be two numbers, the lower number first, such as [0.4,0.6]")
    return tuple(map(float, value))


Between = Annotated[tuple[float, float], BeforeValidator(_as_pair)]
"""Two numbers, the lower first."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number that every system has under every design.

    Attributes
    ----------
    name
        Its name for readers.
    metric
        The metric whose rows in the summary contain the quantity.
    column
        Its column in the summary.
    """

    name: str
    metric: MeasuredAt
    column: str = "value"

    @property
    def is_measured(self) -> bool:
        """Whether the quantity is the value of a metric; folds and tests show how precise such a value is."""
        return self.column == "value"

    @property
    def ranks(self) -> bool:
        """Whether the quantity has a better direction, which may be higher or lower values."""
        return self.is_measured and not self.metric.metric.is_descriptive

    @property
    def sign(self) -> int:
        """1 if higher values are better, -1 if lower values are better."""
        return -1 if self.ranks and not self.metric.metric.higher_is_better else 1


def find_quantity(experiment: Experiment, name: str, over: str = "") -> Quantity:
    """Return the quantity with this name; if the name is empty, the study's first metric that ranks systems.

    Raises SpecError if the study has no such quantity.

    Parameters
    ----------
    experiment
        The experiment.
    name
        A metric of the study, ``user_coverage``, ``rating_coverage``, or ``Coverage@10`` for one of the study's cut-offs.
    over
        The dimension that varies. If the dimension is the cut-off or a parameter of the metric, the metric's name may omit it.
    """
    ranking = [at for at in experiment.metrics if not at.metric.is_descriptive] or list(experiment.metrics)
    if not name:
        return Quantity(ranking[0].written, ranking[0])
    if name in _COVERAGES:
        return Quantity(name.replace("_", " "), ranking[0], name)
    at_depth = {f"{_AT_DEPTH}{at.cutoff}": at for at in experiment.metrics if not at.is_whole}
    if name in at_depth:
        return Quantity(name, at_depth[name], "coverage_at_cutoff")
    try:
        measured = _find_metric(experiment, name, over)
    except SpecError as error:
        names = [*(at.written for at in experiment.metrics), *_COVERAGES, *at_depth]
        raise SpecError(f"metric: the study has no '{name}'{nearest(name, names)}", allowed=", ".join(names)) from error
    return Quantity(measured.written if name == measured.written else name, measured)


def _find_metric(experiment: Experiment, name: str, over: str) -> MeasuredAt:
    try:
        return metrics_of(experiment, name)[0]
    except SpecError:
        if not over:
            raise
        return metrics_of(experiment, name, [over])[0]


def at(ground: Ground, system: str, quantity: Quantity) -> Coordinates:
    """Return the coordinates of a system's number."""
    return Coordinates(ground.dataset, system, quantity.metric, ground.design)


def check_system(experiment: Experiment, key: str, label: str) -> None:
    """Refuse a label that no system has.

    Raises
    ------
    SpecError
        The message names the nearest label, and all labels.
    """
    if label not in experiment.systems:
        what = f"unknown system '{label}'{nearest(label, experiment.systems)}" if label else "no system named"
        raise SpecError(f"{key}: {what}", allowed=", ".join(experiment.systems))


def check_pair(experiment: Experiment, a: str, b: str) -> None:
    """Refuse two labels unless the experiment compares their systems; raises the same errors as `check_system`."""
    check_system(experiment, "a", a)
    check_system(experiment, "b", b)
    if a == b:
        raise SpecError(f"'{a}' is compared with itself", remedy="name two systems")
    if {(a, b), (b, a)}.isdisjoint(experiment.pairs()):
        raise SpecError(f"the study does not compare '{a}' and '{b}'", remedy=f"add [{a}, {b}] to 'compare'")


def name_of_group(grouping: str, label: str) -> str:
    """Name a group together with its grouping, as the study writes it."""
    return f"{grouping}: {label}"


def check_group(ground: Ground, group: str, of: Quantity) -> None:
    """Refuse a group without values, or one that no grouping of the study has, or several, as far as is known without the data.

    Raises the same errors as `check_system`.
    """
    groupings = {spec.written: Grouping.build(spec) for spec in ground.experiment.groups}
    named = {name_of_group(written, label): (label, each) for written, each in groupings.items() for label in each.labels}
    found = [name for name, (label, _) in named.items() if group in (name, label)]
    unknown = [each for each in groupings.values() if not each.labels]
    if len(found) > 1:
        raise SpecError(f"group: several groupings have '{group}'", allowed=", ".join(found))
    if not found and not unknown:
        allowed = ", ".join(named) or "a group by a grouping that 'groups' lists"
        near = nearest(group, [*named, *(label for label, _ in named.values())])
        raise SpecError(f"group: the study has no '{group}'{near}", allowed=allowed)
    sides = sides_with_values(of.metric.metric, ground.design)
    if not any(each.side in sides for each in [named[name][1] for name in found] or unknown):
        of_users = "metrics with a value for each user and aggregates that are means, but not under P1R"
        allowed = "groups of users" if sides else of_users
        raise SpecError(f"group: '{group}' has no values of {of.name} under this design", allowed=allowed)


def replace_option(ground: Ground, option: str) -> Ground:
    """Return the claim's data set and a design with one option replaced; raises the same errors as `check_system`."""
    others = [design for design in ground.experiment.designs() if design != ground.design]
    changes = {design: _single_change(ground.design, design) for design in others}
    designs = [design for design, options in changes.items() if option in options]
    if not designs:
        options_varied = list(dict.fromkeys(options[0] for options in changes.values() if options))
        raise SpecError(
            f"b_with: no design differs from the claim's only in '{option}'{nearest(option, options_varied)}",
            allowed=", ".join(options_varied),
        )
    return replace(ground, design=designs[0])


def _single_change(base: Decisions, design: Decisions) -> list[str]:
    """Return the option in which two designs differ, both as written and canonical; empty if they differ in several options."""
    keys = [decision for decision in DESIGN if getattr(base, decision.key) != getattr(design, decision.key)]
    if len(keys) != 1:
        return []
    option = getattr(design, keys[0].key)
    return (
        list(dict.fromkeys([getattr(option, "written", ""), option_of(keys[0], design)]))
        if keys[0].kind
        else [option_of(keys[0], design)]
    )


def check_ranks(quantity: Quantity) -> None:
    """Refuse a quantity that does not rank systems; raises the same errors as `check_system`."""
    if not quantity.ranks:
        raise SpecError(
            f"metric: neither higher nor lower values of '{quantity.name}' are better, so no system wins by it",
            remedy="claim exceeds(...), which compares numbers",
        )
