"""Varied decisions that some metrics ignore: their numbers are then the same by definition, and say nothing about the decision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from recsens import plugins
from recsens.aggregation import Aggregate
from recsens.config import Decisions, Study
from recsens.errors import DesignError
from recsens.metrics import MeasuredAt, Metric
from recsens.targets import Targets
from recsens.users import Users


def refuse_ignored(part: Study) -> None:
    """Refuse a varied decision that every metric of an experiment ignores.

    Raises
    ------
    DesignError
        If nothing that is measured could depend on the decision.
    """
    for key, metrics in ignored(part).items():
        if len(metrics) == len(part.metrics):
            names = ", ".join(metric.short for metric in metrics)
            raise DesignError(
                f"'{key}' is varied, and nothing depends on it: {names} ignore{'s' * (len(metrics) == 1)} it by definition",
                where=f"the designs of '{', '.join(part.datasets)}'",
                remedy=f"take '{key}' out of 'vary', or add a metric that depends on it",
            )


def remarks(study: Study) -> Iterator[str]:
    """Say which metrics ignore which varied decisions, experiment by experiment."""
    for part in study.parts():
        place = "" if list(part.datasets) == list(study.datasets) else f"{part.title}: "
        for key, metrics in ignored(part).items():
            names = ", ".join(metric.short for metric in metrics)
            yield f"{place}'{key}' is varied and changes nothing about {names}: the same numbers by definition, which count once"


def ignored(part: Study) -> dict[str, list[MeasuredAt]]:
    """List the metrics that ignore a varied decision under every design of an experiment, by decision; none, no entry."""
    designs = part.designs()
    found = {
        key: [one for one in part.metrics if all(_ignores(one.metric, key, design) for design in _varied(designs, key))]
        for key in part.vary
        if _varied(designs, key)
    }
    return {key: metrics for key, metrics in found.items() if metrics}


def _varied(designs: Sequence[Decisions], key: str) -> list[Decisions]:
    """Keep the designs from which another one differs in one decision alone."""
    alike: dict[str, list[Decisions]] = {}
    for design in designs:
        alike.setdefault(repr(_others(design, key)), []).append(design)
    return [design for group in alike.values() if len(group) > 1 for design in group]


def _others(design: Decisions, key: str) -> Mapping[str, object]:
    return {name: str(getattr(design, name)) for name in Decisions.model_fields if name != key}


def _ignores(metric: Metric, key: str, design: Decisions) -> bool:
    """Say whether a decision changes neither what the metric makes of a ranking nor who is ranked, averaged and weighed how."""
    return key in metric.ignored and not _matters_elsewhere(metric, key, design)


def _matters_elsewhere(metric: Metric, key: str, design: Decisions) -> bool:
    users: Users = plugins.build("users", design.users)
    if key == "view":
        return design.coverage == "reduced" or "listed" in users.reads
    if key == "relevance":
        targets: Targets = plugins.build("targets", design.targets)
        aggregate: Aggregate = plugins.build("aggregate", design.aggregate)
        weighs = metric.unit == "user" and aggregate.uses_relevance
        return targets.uses_relevance or "relevant" in users.reads or weighs
    return False
