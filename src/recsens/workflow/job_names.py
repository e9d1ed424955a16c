"""Descriptions of jobs, and their messages, in the study's own words."""

from collections.abc import Callable, Iterator, Mapping

from recsens import plugins
from recsens.arrays import grouped
from recsens.artefacts.addresses import system_and_fit
from recsens.data.splitting import Splitter
from recsens.plugins.specs import Chain, Spec
from recsens.study import file_name
from recsens.study.design import Design, in_full
from recsens.study.taxonomy import DESIGN
from recsens.workflow.job import Job
from recsens.workflow.plan import Plan

_SHOWN = ("dataset", "label", "recommender", "metric", "figure", "analysis", "split", "fold", "targets")
"""Wildcards by which people can distinguish the jobs of a step."""

_SUBJECTS = ("recommender", "metric", "figure", "analysis")
"""Wildcards that name the subject of a job."""


def names_of(plan: Plan) -> Callable[[Job], str]:
    """Return a function that describes a job, such as ``fit kNN on ML-1M, random(ratio=0.8), repeat-0``."""
    labels = _labels_by_slug(plan)

    def name(job: Job) -> str:
        names = _labels_of_job(job, labels)
        what = " ".join([job.step, *(names.pop(step) for step in _SUBJECTS if step in names)])
        return f"{what} on {', '.join(names.values())}" if names else what

    return name


def subjects_of(plan: Plan) -> Callable[[Job], str]:
    """Return a function for a job's subject: a system, metric, figure or data set; empty if the job is about the whole study."""
    labels = _labels_by_slug(plan)

    def subject(job: Job) -> str:
        names = _labels_of_job(job, labels)
        return next((names[step] for step in (*_SUBJECTS, "dataset") if step in names), "")

    return subject


def _labels_by_slug(plan: Plan) -> dict[str, dict[str, str]]:
    systems = [labelled for experiment in plan.study.all_experiments() for labelled in experiment.systems.items()]
    metrics = grouped((measured.metric.spec.slug, measured.written) for measured in plan.study.all_metrics())
    designs = plan.all_designs
    targets = {plugins.address("targets", design.targets).slug: design.targets.written for design in designs}
    written = {plugins.address("split", design.split).slug: design.split.written for design in designs}
    # If a system is fitted once for several splits, the study may not contain the split.
    fitted = [Splitter.build(design.split).trains_as for design in designs]
    return {
        "dataset": {source.address.slug: label for label, source in plan.sources.items()},
        # If a system has several labels, the first is used.
        "recommender": {plugins.address("recommender", spec).slug: label for label, spec in reversed(systems)},
        "split": {**{plugins.address("split", split).slug: str(split) for split in fitted}, **written},
        "label": {file_name(label): label for label in plan.study.by_label()},
        "metric": {slug: ", ".join(written) for slug, written in metrics.items()},
        "targets": targets,
    }


def _labels_of_job(job: Job, labels: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    steps = [step for step in _SHOWN if step != "targets" or len(labels["targets"]) > 1]
    named = {step: job.wildcards[step] for step in steps if step in job.wildcards}
    return {step: _label_of(labels.get(step, {}), name) for step, name in named.items()}


def _label_of(labels: Mapping[str, str], name: str) -> str:
    slug, fit = system_and_fit(name)
    return f"{labels.get(slug, slug)}{f' (fit {fit + 1})' * (fit > 0)}"


def in_own_words(plan: Plan, said: str) -> str:
    """Return a job's message with each option in the study's spelling, which the job does not have."""
    for kind, option in dict.fromkeys(named for design in plan.all_designs for named in _design_options(design)):
        for text in (in_full(kind, option), str(option)):
            said = said.replace(f"{kind} '{text}'", f"{kind} '{option.written}'")
    return said


def _design_options(design: Design) -> Iterator[tuple[str, Spec | Chain]]:
    for decision in DESIGN:
        if decision.kind is not None:
            option = getattr(design, decision.key)
            yield decision.kind, option
            yield from ((decision.kind, link) for link in (option if isinstance(option, Chain) else ()))
