"""The numbers of an experiment that a figure shows, each with its position along the figure's dimensions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from recsens.conclusions.dimensions import NONE, Coordinates, Dimension, Place, dimensions, metrics_of, refuse_single
from recsens.errors import SpecError, nearest
from recsens.metrics import MeasuredAt
from recsens.study import Decisions, Experiment
from recsens.study.taxonomy import DESIGN


@dataclass(frozen=True)
class Chosen:
    """The numbers that a figure shows: coordinates by their place on each dimension, which is `NOWHERE` on an unused dimension.

    Attributes
    ----------
    dimensions
        The dimensions; `UNUSED` for a dimension that is not used.
    at
        Coordinates by places, in the order of the dimensions.
    """

    dimensions: tuple[Dimension, ...]
    at: dict[tuple[Place, ...], Coordinates]

    def places(self, number: int) -> tuple[Place, ...]:
        """List the values along a dimension, given its number."""
        return self.dimensions[number].places(list(self.at.values()))


NOWHERE = Place("")
"""The only place along a dimension that a figure does not use."""

UNUSED = Dimension(NONE, "", "", lambda _: NOWHERE)


def select(experiment: Experiment, metrics: Sequence[str], names: Sequence[str], *, system: str = "") -> Chosen:
    """Choose the numbers of a figure: all values of its dimensions, with the base design's options for all other decisions.

    Raises SpecError if the experiment lacks a dimension or a metric, or if two numbers have the same places.

    Parameters
    ----------
    experiment
        The experiment.
    metrics
        Metrics with their cut-offs, or without cut-offs if the cut-off is a dimension. If empty, the first metric that ranks
        systems is chosen or, if the metric is a dimension, all metrics that rank systems.
    names
        Names of the dimensions; `NONE` for an unused dimension.
    system
        The only system that is shown, if ``system`` is not a dimension.
    """
    used = iter(dimensions([name for name in names if name != NONE], experiment))
    along = tuple(UNUSED if name == NONE else next(used) for name in names)
    free = {dimension.frees for dimension in along}
    systems = _systems_shown(experiment, system, free)
    if "dataset" not in free and len(experiment.datasets) > 1:
        raise SpecError("the study has several data sets, but the figure shows only one", remedy="add panel=dataset")
    at_places: dict[tuple[Place, ...], Coordinates] = {}
    for design in _designs_shown(experiment, free):
        for dataset, label, metric in product(experiment.datasets, systems, _metrics_shown(experiment, metrics, along)):
            at = Coordinates(dataset, label, metric, design)
            places = [dimension.place(at) for dimension in along]
            key = tuple(place for place in places if place is not None)
            if len(key) < len(places):
                continue
            if key in at_places:
                raise _same_place_error(names, key, at_places[key], at)
            at_places[key] = at
    return Chosen(along, at_places)


def refuse_gaps(selection: Chosen, along: int, experiment: Experiment) -> None:
    """Refuse a dimension with only one value, overall or at a place on another dimension.

    Raises
    ------
    SpecError
        The message says what to vary.
    """
    line = selection.dimensions[along]
    if line is UNUSED:
        return
    refuse_single(line, experiment)
    if len(selection.places(along)) < 2:
        raise SpecError(f"the figure would show only one value of '{line.name}'", allowed="two values or more")
    for number, other in enumerate(selection.dimensions):
        if number == along or other.frees not in {each.key for each in DESIGN} or line.frees in {"system", "dataset"}:
            continue
        for place in selection.places(number):
            lone = {key[along] for key in selection.at if key[number] == place}
            if len(lone) < 2:
                raise SpecError(
                    (
                        f"with '{other.name}' at {place.label}, '{line.name}' has only one value, because the study varies one "
                        "decision at a time"
                    ),
                    remedy="write 'combine: grid', or leave out one of the two dimensions",
                )


def refuse_holes(selection: Chosen) -> None:
    """Refuse a selection that lacks a number at some combination of positions.

    Raises
    ------
    SpecError
        The message names the first such combination.
    """
    for key in product(*(selection.places(number) for number in range(len(selection.dimensions)))):
        if key not in selection.at:
            where = " and ".join(place.label for place in key if place.label)
            raise SpecError(f"no design of the study has {where}", remedy="write 'combine: grid', or choose other dimensions")


def _designs_shown(experiment: Experiment, free: set[str]) -> list[Decisions]:
    held = [decision.key for decision in DESIGN if decision.key not in free]
    base = experiment.design
    return [design for design in experiment.designs() if all(getattr(design, key) == getattr(base, key) for key in held)]


def _systems_shown(experiment: Experiment, system: str, free: set[str]) -> list[str]:
    if system and system not in experiment.systems:
        raise SpecError(f"unknown system '{system}'{nearest(system, experiment.systems)}", allowed=", ".join(experiment.systems))
    if system:
        return [system]
    if "system" not in free and len(experiment.systems) > 1:
        raise SpecError("the study has several systems, but the figure shows only one", remedy="add by=system or panel=system")
    return list(experiment.systems)


def _metrics_shown(experiment: Experiment, names: Sequence[str], along: Sequence[Dimension]) -> list[MeasuredAt]:
    ranking = [at for at in experiment.metrics if not at.metric.is_descriptive] or list(experiment.metrics)
    free = [dimension.name for dimension in along if dimension.frees in {"metric", "cutoff"}]
    if not names:
        return ranking if free else ranking[:1]
    chosen = [at for name in names for at in metrics_of(experiment, name, free)]
    if len(names) > 1 and "metric" not in free:
        raise SpecError(f"{len(names)} metrics, but the figure shows only one", remedy="add by=metric or panel=metric, or name one")
    return chosen


def _same_place_error(names: Sequence[str], key: Sequence[Place], one: Coordinates, other: Coordinates) -> SpecError:
    differs = next(what for what in ("dataset", "system", "metric", "design") if getattr(one, what) != getattr(other, what))
    where = ", ".join(f"{name} {place.label}" for name, place in zip(names, key, strict=True) if name != NONE)
    if differs == "design":
        keys = [each.key for each in DESIGN if getattr(one.design, each.key) != getattr(other.design, each.key)]
        both = " and ".join(f"'{getattr(each.design, keys[0])}'" for each in (one, other))
        return SpecError(
            f"two designs would be drawn at the same place, {where}: {keys[0]} {both}",
            remedy=f"add by={keys[0]} or panel={keys[0]}",
        )
    both = " and ".join(f"'{getattr(each, differs)}'" for each in (one, other))
    return SpecError(
        f"two numbers would be drawn at the same place, {where}: {differs} {both}", remedy=f"add by={differs} or panel={differs}"
    )


def along_x(selection: Chosen, rest: Sequence[Place]) -> Iterator[tuple[Place, Coordinates]]:
    """Yield the coordinates along the first dimension, in order, at fixed positions on the others."""
    for place in selection.places(0):
        at = selection.at.get((place, *rest))
        if at is not None:
            yield place, at


def measured_by(chosen: Chosen) -> str:
    """Name the metric of a figure's numbers; ``value`` if there are several metrics, because the figure then names each of them."""
    is_cut = any(dimension.name == "cutoff" for dimension in chosen.dimensions)
    names = {at.metric.spelling or str(at.metric.metric.spec) if is_cut else at.metric.written for at in chosen.at.values()}
    return names.pop() if len(names) == 1 else "value"
