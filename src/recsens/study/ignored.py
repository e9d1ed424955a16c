"""Varied decisions that a metric ignores. Its values are then equal by definition, so their agreement is not evidence."""

from collections.abc import Iterator, Sequence

from recsens.arrays import grouped
from recsens.comparison.aggregation import Aggregate
from recsens.comparison.users import Users
from recsens.errors import DesignError
from recsens.metrics import MeasuredAt, Metric
from recsens.ranking.targets import Targets
from recsens.study import Decisions, Experiment, Study
from recsens.study.taxonomy import DESIGN


def refuse_ignored(experiment: Experiment) -> None:
    """Refuse a varied decision that every metric of an experiment ignores.

    Raises
    ------
    DesignError
        If no metric depends on the decision.
    """
    for key, metrics in ignored(experiment).items():
        if len(metrics) == len(experiment.metrics):
            names = ", ".join(metric.written for metric in metrics)
            raise DesignError(
                f"'{key}' is varied, but affects no result: {names} ignore{'s' * (len(metrics) == 1)} it by definition",
                where=f"the designs of '{', '.join(experiment.datasets)}'",
                remedy=f"take '{key}' out of 'vary', or add a metric that depends on it",
            )


def remarks(study: Study) -> Iterator[str]:
    """Say which metrics ignore which varied decisions, experiment by experiment."""
    for experiment in study.all_experiments():
        prefix = "" if list(experiment.datasets) == list(study.datasets) else f"{experiment.title}: "
        for key, metrics in ignored(experiment).items():
            names = ", ".join(metric.written for metric in metrics)
            yield f"{prefix}'{key}' is varied but does not affect {names}: the numbers are equal by definition, and count once"


def ignored(experiment: Experiment) -> dict[str, list[MeasuredAt]]:
    """For each varied decision, list the metrics that ignore it under every design of an experiment."""
    designs = experiment.designs()
    ignoring = {
        key: [one for one in experiment.metrics if all(_is_ignored(one.metric, key, design) for design in _varied(designs, key))]
        for key in experiment.vary
        if _varied(designs, key)
    }
    return {key: metrics for key, metrics in ignoring.items() if metrics}


def _varied(designs: Sequence[Decisions], key: str) -> list[Decisions]:
    """Select the designs that differ from another design only in this decision."""
    others = [each.key for each in DESIGN if each.key != key]
    alike = grouped((tuple(str(getattr(design, other)) for other in others), design) for design in designs)
    return [design for group in alike.values() if len(group) > 1 for design in group]


def _is_ignored(metric: Metric, key: str, design: Decisions) -> bool:
    """Whether a decision changes neither the value of a ranking nor which users are ranked, averaged and weighted."""
    users = Users.build(design.users)
    if key not in metric.ignored:
        return False
    if key == "view":
        return design.coverage != "reduced" and "listed" not in users.reads
    if key == "relevance":
        weighs = metric.unit == "user" and Aggregate.build(design.aggregate).uses_relevance
        return not (Targets.build(design.targets).uses_relevance or "relevant" in users.reads or weighs)
    return True
