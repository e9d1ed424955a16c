"""What a job does, in the study's own words."""

from __future__ import annotations

from collections.abc import Callable

from recsens import plugins
from recsens.workflow.jobs import PlannedJob
from recsens.workflow.plan import Plan

_SHOWN = ("dataset", "recommender", "metric", "figure", "split", "fold")
"""Wildcards that tell jobs of a step apart, for a reader."""


def names_of(plan: Plan) -> Callable[[PlannedJob], str]:
    """Return a function that says what a job does, such as ``fit kNN on ML-1M, random(ratio=0.8), repeat-0``."""
    systems = [each for experiment in plan.study.all_experiments() for each in experiment.systems.items()]
    designs = [design for designs in plan.designs.values() for design in designs]
    metrics: dict[str, list[str]] = {}
    for measured in plan.study.metrics:
        metrics.setdefault(measured.metric.spec.slug, []).append(measured.written)
    labels = {
        "dataset": {source.address.slug: label for label, source in plan.sources.items()},
        "recommender": {plugins.address("recommender", spec).slug: label for label, spec in systems},
        "split": {plugins.address("split", design.split).slug: design.split.written for design in designs},
        "metric": {slug: ", ".join(written) for slug, written in metrics.items()},
    }

    def name(job: PlannedJob) -> str:
        shown = {
            step: labels.get(step, {}).get(job.wildcards[step], job.wildcards[step]) for step in _SHOWN if step in job.wildcards
        }
        what = " ".join([job.step, *(shown.pop(step) for step in ("recommender", "metric", "figure") if step in shown)])
        return f"{what} on {', '.join(shown.values())}" if shown else what

    return name
