"""The dimensions along which an experiment's numbers differ, from the data set to a parameter of a metric, and their names."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated

from pydantic import BeforeValidator

from recsens.conclusions.design_space import flat_parameters, is_number, option_of, planned_sweep
from recsens.conclusions.verdicts.components import measured
from recsens.errors import SpecError, nearest
from recsens.metrics import MeasuredAt
from recsens.plugins.specs import Chain, Spec, Value, format_value
from recsens.study import Decisions, Experiment
from recsens.study.taxonomy import DESIGN, Decision
from recsens.tables.numbers import tick

NONE = "none"
"""Name for an unused dimension."""

_OF_PLUGINS = {"system": "recommender", "dataset": "dataset", "metric": "metric"}
"""The dimensions whose values are plug-ins, and the kind of these plug-ins."""


@dataclass(frozen=True, slots=True)
class Coordinates:
    """The coordinates of one number of an experiment."""

    dataset: str
    system: str
    metric: MeasuredAt
    design: Decisions


@dataclass(frozen=True, slots=True)
class Place:
    """A value on a dimension: its text and, if it is numeric, its number."""

    label: str
    number: float | None = None

    @property
    def on_axis(self) -> str:
        """Label on an axis whose title already names the dimension: the number alone, if there is one."""
        return self.label if self.number is None else tick(self.number)


@dataclass(frozen=True)
class Dimension:
    """A dimension along which numbers differ.

    Attributes
    ----------
    name, title
        The dimension's name in a spec, and its title on an axis.
    frees
        What varies along the dimension: ``dataset``, ``system``, ``metric``, ``cutoff`` or the key of a decision.
    place
        A function that returns the value at some coordinates, or None if the coordinates are not on this dimension.
    """

    name: str
    title: str
    frees: str
    place: Callable[[Coordinates], Place | None]

    def places(self, listed: Sequence[Coordinates]) -> tuple[Place, ...]:
        """List the distinct values among coordinates, sorted if all values are numbers, otherwise in order of appearance."""
        places = list(dict.fromkeys(place for at in listed if (place := self.place(at)) is not None))
        if all(place.number is not None for place in places):
            places.sort(key=lambda place: place.number or 0.0)
        return tuple(places)


def dimensions(names: Sequence[str], experiment: Experiment) -> list[Dimension]:
    """Return the dimensions with these names.

    If a dimension is a parameter, such as ``user_knn.k``, the components that have this parameter are identified by their other
    parameters: two systems that differ only in ``k`` count as one system.

    Raises
    ------
    SpecError
        If the experiment has no such dimension, or has only one value on the dimension.
    """
    by_name = {dimension.name: dimension for dimension in _all_dimensions(experiment)}
    spread = list(_single_changes(experiment))
    several = [name for name, dimension in by_name.items() if len(dimension.places(spread)) > 1]
    for name in names:
        if name not in by_name:
            raise SpecError(f"the study has no '{name}'{nearest(name, by_name)}", allowed=", ".join([*several, NONE]))
    taken = [by_name[name] for name in names]
    return [_family_dimension(dimension, taken, experiment) or dimension for dimension in taken]


def refuse_single(dimension: Dimension, experiment: Experiment) -> None:
    """Refuse a dimension on which the experiment has only one value.

    Raises
    ------
    SpecError
        The message lists the dimensions with several values.
    """
    spread = list(_single_changes(experiment))
    places = dimension.places(spread)
    if len(places) < 2:
        several = [other.name for other in _all_dimensions(experiment) if len(other.places(spread)) > 1]
        only = f"only one value of '{dimension.name}': {places[0].label}" if places else f"no value of '{dimension.name}'"
        raise SpecError(f"the study has {only}", allowed=", ".join(several) or "none: nothing varies in the study")


def _single_changes(experiment: Experiment) -> Iterator[Coordinates]:
    """Yield coordinates that differ from the base coordinates in one respect each."""
    base = Coordinates(next(iter(experiment.datasets)), next(iter(experiment.systems)), experiment.metrics[0], experiment.design)
    yield from (replace(base, dataset=label) for label in experiment.datasets)
    yield from (replace(base, system=label) for label in experiment.systems)
    yield from (replace(base, metric=metric) for metric in experiment.metrics)
    yield from (replace(base, design=design) for design in experiment.designs())


def _all_dimensions(experiment: Experiment) -> Iterator[Dimension]:
    yield Dimension("system", "", "system", lambda at: Place(at.system))
    yield Dimension("dataset", "data set", "dataset", lambda at: Place(at.dataset))
    yield Dimension("metric", "metric", "metric", lambda at: Place(at.metric.written))
    yield Dimension("cutoff", "cut-off", "cutoff", lambda at: None if at.metric.is_whole else _number_place(at.metric.cutoff))
    designs = experiment.designs()
    for varied in DESIGN:
        yield _decision_dimension(varied, experiment, designs)
        if varied.kind is not None:
            texts = [option_of(varied, design) for design in designs]
            for name in _parameters_of(varied.kind, texts):
                yield _option_dimension(varied, name)
    for label, kind in _OF_PLUGINS.items():
        specs = _specs_of(label, experiment)
        for plugin in dict.fromkeys(spec.name for spec in specs.values()):
            for name in _parameters_of(kind, [str(spec) for spec in specs.values() if spec.name == plugin]):
                yield _plugin_dimension(label, plugin, name, experiment)


def _decision_dimension(varied: Decision, experiment: Experiment, designs: Sequence[Decisions]) -> Dimension:
    swept = planned_sweep(experiment, varied)
    written = {option_of(varied, design): _option_text(varied, design) for design in designs}
    places = {option.text: Place(written[option.text], option.number) for option in swept.options}
    return Dimension(varied.key, swept.titled(varied.name.lower()), varied.key, lambda at: places.get(option_of(varied, at.design)))


def _option_text(varied: Decision, design: Decisions) -> str:
    """Write a design's option for a decision in the words of the study file."""
    option = getattr(design, varied.key)
    return option.written if isinstance(option, Spec | Chain) else option_of(varied, design)


def _option_dimension(varied: Decision, name: str) -> Dimension:
    title, kind = f"{varied.name.lower()}: {name}", str(varied.kind)
    return Dimension(f"{varied.key}.{name}", title, varied.key, lambda at: _place(kind, option_of(varied, at.design), name))


def _plugin_dimension(label: str, plugin: str, name: str, experiment: Experiment) -> Dimension:
    specs = _specs_of(label, experiment)

    def place(at: Coordinates) -> Place | None:
        spec = specs[str(getattr(at, label))]
        return _place(_OF_PLUGINS[label], str(spec), name) if spec.name == plugin else None

    return Dimension(f"{plugin}.{name}", f"{name} of {plugin}", label, place)


def _family_dimension(dimension: Dimension, taken: Sequence[Dimension], experiment: Experiment) -> Dimension | None:
    """Return a dimension of components, named without parameters and a cut-off that are dimensions too; None if none is."""
    if dimension.name not in _OF_PLUGINS:
        return None
    inner = [other.name.rpartition(".") for other in taken if other.frees == dimension.name and other.name != dimension.name]
    cut = dimension.name == "metric" and any(other.name == "cutoff" for other in taken)
    if not inner and not cut:
        return None
    specs = _specs_of(dimension.name, experiment)

    def place(at: Coordinates) -> Place:
        spec = specs[str(getattr(at, dimension.name))]
        family = spec.without(*(name for plugin, _, name in inner if plugin == spec.name))
        depth = "" if cut or dimension.name != "metric" or at.metric.is_whole else f"@{at.metric.cutoff}"
        return Place(f"{family}{depth}")

    return replace(dimension, place=place)


def _specs_of(label: str, experiment: Experiment) -> Mapping[str, Spec]:
    metrics = {str(metric): metric.metric.spec for metric in experiment.metrics}
    return {"system": experiment.systems, "dataset": experiment.datasets, "metric": metrics}[label]


def _parameters_of(kind: str, texts: Sequence[str]) -> list[str]:
    """Name the parameters of components, and of the components inside them."""
    return list(dict.fromkeys(key.rpartition("/")[2] for text in dict.fromkeys(texts) for key in _flat(kind, text) if "/" in key))


def _place(kind: str, text: str, name: str) -> Place | None:
    values = [value for key, value in _flat(kind, text).items() if "/" in key and key.rpartition("/")[2] == name]
    if not values:
        return None
    value = values[0]
    if is_number(value):
        return _number_place(value, f"{name} = ")
    return Place(f"{name} = {format_value(value)}")


def _number_place(value: float, before: str = "") -> Place:
    return Place(f"{before}{tick(value)}", float(value))


@cache
def _flat(kind: str, text: str) -> dict[str, Value]:
    return dict(flat_parameters(kind, text))


def as_text(value: object) -> object:
    """Write a metric with parameters as text; the grammar parses a metric without a cut-off as a component."""
    return str(value) if isinstance(value, Spec) else value


def _as_texts(value: object) -> object:
    if isinstance(value, tuple):
        return tuple(map(as_text, value))
    return (str(value),) if isinstance(value, str | Spec) else value


Name = Annotated[str, BeforeValidator(as_text)]
"""The name of a metric, perhaps with parameters."""

Names = Annotated[tuple[str, ...], BeforeValidator(_as_texts, json_schema_input_type=str | tuple[str, ...])]
"""The name of a metric, or a list of such names."""


def metrics_of(experiment: Experiment, name: str, free: Sequence[str] = ()) -> list[MeasuredAt]:
    """Return the study's metrics with a name. The name omits parameters and cut-offs that are dimensions.

    Raises
    ------
    SpecError
        If there is no such metric.
    """
    spelled = {_name_without(at, free): at for at in experiment.metrics}
    matching = [
        at
        for at in experiment.metrics
        if name in {_name_without(at, free), at.written, at.short, str(at)} and not (at.is_whole and "cutoff" in free)
    ]
    if not matching and not free:
        try:
            matching = [at for at in experiment.metrics if str(at) == str(measured(name))]
        except SpecError:
            matching = []
    if not matching:
        raise SpecError(f"'{name}' is not among the metrics of the study{nearest(name, spelled)}", allowed=", ".join(spelled))
    return matching


def _name_without(at: MeasuredAt, free: Sequence[str]) -> str:
    spec = at.metric.spec
    inner = [name.rpartition(".") for name in free if "." in name]
    spec = spec.without(*(name for plugin, _, name in inner if plugin == spec.name))
    if not free:
        return at.written
    return str(spec) if at.is_whole or "cutoff" in free else f"{spec}@{at.cutoff}"
