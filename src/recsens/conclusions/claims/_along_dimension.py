"""A system's numbers along a dimension: one number per point."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from recsens.conclusions.claims import Ground
from recsens.conclusions.claims._parameters import Quantity
from recsens.conclusions.design_space import flat_parameters, option_of
from recsens.conclusions.dimensions import Coordinates, Dimension, Place, dimensions, refuse_single
from recsens.errors import SpecError
from recsens.plugins.specs import Value
from recsens.study import Decisions, Experiment
from recsens.study.taxonomy import decision


def number_at(place: Place) -> float:
    """Return the number of a point along a dimension of numbers."""
    return place.number or 0.0


def line(ground: Ground, over: str, system: str, of: Quantity, *, numeric: bool = True) -> dict[Place, Coordinates] | None:
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
    for coordinates in _siblings_along(start, dimension, experiment):
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
    return dict(sorted(at_places.items(), key=lambda item: number_at(item[0])))


def check_along(
    ground: Ground, over: str, system: str, of: Quantity, least: int = 2, *, numeric: bool = True
) -> dict[Place, Coordinates]:
    """Call `line`, and refuse a system that does not vary or has too few points; raises the same errors as `line`."""
    along = line(ground, over, system, of, numeric=numeric)
    if along is None:
        raise SpecError(f"over: '{system}' does not vary along '{over}'", remedy="name a system that varies along it")
    if len(along) < least:
        labels = ", ".join(place.label for place in along)
        raise SpecError(
            f"over: {len(along)} values of '{over}' ({labels}) under the claim's design",
            allowed=f"{least} or more",
            remedy="vary it, or leave out 'under'",
        )
    return along


def _siblings_along(start: Coordinates, dimension: Dimension, experiment: Experiment) -> Iterator[Coordinates]:
    """Yield the coordinates that differ from ``start`` only along the dimension."""
    match dimension.frees:
        case "system":
            alike = _sibling_filter("recommender", dimension.name, experiment.systems, start.system)
            yield from (replace(start, system=label) for label in experiment.systems if alike(label))
        case "dataset":
            alike = _sibling_filter("dataset", dimension.name, experiment.datasets, start.dataset)
            yield from (replace(start, dataset=label) for label in experiment.datasets if alike(label))
        case "cutoff":
            same = [at for at in experiment.metrics if at.metric.spec == start.metric.metric.spec and not at.is_whole]
            yield from (replace(start, metric=at) for at in same)
        case "metric":
            depths = [at for at in experiment.metrics if at.cutoff == start.metric.cutoff]
            alike = _sibling_filter("metric", dimension.name, {str(at): at.metric.spec for at in depths}, str(start.metric))
            yield from (replace(start, metric=at) for at in depths if alike(str(at)))
        case key:
            yield from (replace(start, design=design) for design in _sibling_designs(start, dimension, experiment, key))


def _sibling_designs(start: Coordinates, dimension: Dimension, experiment: Experiment, key: str) -> Iterator[Decisions]:
    varied = decision(key)
    designs = experiment.designs()
    options = {option_of(varied, design): option_of(varied, design) for design in designs}
    alike = _sibling_filter(varied.kind, dimension.name, options, option_of(varied, start.design))
    for design in designs:
        same = all(getattr(design, other) == getattr(start.design, other) for other in type(design).model_fields if other != key)
        if same and alike(option_of(varied, design)):
            yield design


def _sibling_filter(kind: str | None, name: str, specs: Mapping[str, object], base: str) -> Callable[[str], bool]:
    """Return a function that accepts a label if its component equals the base component except in the dimension's parameter.

    If the base lacks the parameter, every component is accepted.
    """
    inner = name.rpartition(".")[2]
    is_parameter = kind is not None and "." in name

    def split(label: str) -> tuple[dict[str, Value], dict[str, Value]]:
        flat = flat_parameters(kind or "", str(specs[label]))
        own = {key: value for key, value in flat.items() if "/" in key and key.rpartition("/")[2] == inner}
        return own, {key: value for key, value in flat.items() if key not in own}

    own, common = split(base) if is_parameter else ({}, {})
    return lambda label: not own or split(label)[1] == common
