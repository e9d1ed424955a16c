"""What a job does, in the study's own words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from recsens import plugins
from recsens.workflow.jobs import PlannedJob
from recsens.workflow.plan import Plan

_SHOWN = ("dataset", "recommender", "metric", "figure", "split", "fold")
"""Wildcards that tell jobs of a step apart, for a reader."""

_SUBJECTS = ("recommender", "metric", "figure")
"""Wildcards that say what a job is about."""


def names_of(plan: Plan) -> Callable[[PlannedJob], str]:
    """Return a function that says what a job does, such as ``fit kNN on ML-1M, random(ratio=0.8), repeat-0``."""
    labels = _labels(plan)

    def name(job: PlannedJob) -> str:
        shown = _shown(job, labels)
        what = " ".join([job.step, *(shown.pop(step) for step in _SUBJECTS if step in shown)])
        return f"{what} on {', '.join(shown.values())}" if shown else what

    return name


def subjects_of(plan: Plan) -> Callable[[PlannedJob], str]:
    """Return a function that says what a job is about: a system, metric or figure, or else a data set; empty if all of them."""
    labels = _labels(plan)

    def subject(job: PlannedJob) -> str:
        shown = _shown(job, labels)
        return next((shown[step] for step in (*_SUBJECTS, "dataset") if step in shown), "")

    return subject


def _labels(plan: Plan) -> dict[str, dict[str, str]]:
    systems = [each for experiment in plan.study.all_experiments() for each in experiment.systems.items()]
    designs = [design for designs in plan.designs.values() for design in designs]
    metrics: dict[str, list[str]] = {}
    for measured in plan.study.metrics:
        metrics.setdefault(measured.metric.spec.slug, []).append(measured.written)
    return {
        "dataset": {source.address.slug: label for label, source in plan.sources.items()},
        # Of several labels of one system, the first.
        "recommender": {plugins.address("recommender", spec).slug: label for label, spec in reversed(systems)},
        "split": {plugins.address("split", design.split).slug: design.split.written for design in designs},
        "metric": {slug: ", ".join(written) for slug, written in metrics.items()},
    }


def _shown(job: PlannedJob, labels: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    named = {step: job.wildcards[step] for step in _SHOWN if step in job.wildcards}
    return {step: labels.get(step, {}).get(name, name) for step, name in named.items()}
