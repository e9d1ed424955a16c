"""A study's plan in words: its design and what varies, its data, its jobs, and the time and disk space that they may take."""

from collections.abc import Iterator
from pathlib import Path

from recsens.artefacts.addresses import RESULTS
from recsens.conclusions.design_space import base_designs
from recsens.conclusions.verdicts.components import named_in_full
from recsens.conclusions.verdicts.efforts import EFFORT
from recsens.errors import DesignError
from recsens.report.settings.decisions import Setting
from recsens.report.settings.statement import differing_settings, statement
from recsens.study import Experiment, Study
from recsens.study.searched import searches
from recsens.study.taxonomy import decision
from recsens.workflow.ask import Prices
from recsens.workflow.estimates import describe_disk, describe_time
from recsens.workflow.lock import check_results
from recsens.workflow.plan import Plan
from recsens.workflow.run_preview import RunPreview, counted, counted_as, counts_of, other_run_lines, remarks_on


def plan_lines(plan: Plan, cores: int) -> Iterator[str]:
    """Yield a study's plan line by line, with the time on ``cores`` processors; nothing is written.

    The design comes first, because it does not depend on data. If a data set is missing, this is reported after the design.

    Raises
    ------
    RecsensError
        If decisions cannot be combined, a raw file is missing, or ``results`` is not a folder.
    """
    check_results(Path(RESULTS))
    yield f"{plan.study.title} ({plan.path})"
    own = plan.study.own
    yield "Design:"
    yield from map(_setting_line, statement(base_designs(own), systems=own.systems, metrics=own.metrics, comparing=own))
    yield from _varied_lines(own)
    for experiment in plan.study.all_experiments()[1:]:
        yield from _further_lines(experiment, plan.study)
    if conflicts := plan.conflicts():
        yield "Not allowed:"
        yield from (f"  {line}" for conflict in conflicts for line in conflict.splitlines())
        raise DesignError(counted_as(len(conflicts), "conflict"), where=str(plan.path), remedy="change the decisions named above")
    yield from _data_lines(plan)
    yield from _job_lines(plan, cores)


def _further_lines(experiment: Experiment, study: Study) -> Iterator[str]:
    """Describe how a further experiment differs from the study."""
    yield f"Experiment '{experiment.title}', as above except for:"
    dataset, *others = statement(base_designs(experiment), systems=experiment.systems, comparing=experiment)
    changed = [setting for setting, _ in differing_settings(experiment, study)]
    systems = [each for each in others if each.name == "Systems" and experiment.systems != study.systems]
    yield from map(_setting_line, [dataset, *systems, *changed])
    yield from _varied_lines(experiment)


def _setting_line(setting: Setting) -> str:
    return f"  {setting.code:<2} {setting.name}: {setting.value}"


def _varied_lines(experiment: Experiment) -> Iterator[str]:
    """Yield the options to try besides the base design's."""
    together = "in every combination" if experiment.combine == "grid" else "one at a time"
    yield f"Varied, {together}:" if experiment.vary or experiment.effort else "Varied: nothing"
    if experiment.effort:
        searched = searches(experiment)
        efforts = "; ".join(map(str, sorted(experiment.effort)))
        yield f"  {EFFORT.code:<2} {EFFORT.name}: {efforts}, from one search for each system:"
        yield from (f"     {label}: {tuned.search_in_full}" for label, tuned in searched.items())
        yield from (f"     {label}: as written whatever the effort" for label in experiment.systems if label not in searched)
    for key in experiment.vary:
        varied = decision(key)
        options = dict.fromkeys(getattr(design, key) for design in experiment.designs())
        others = [option for option in options if option != getattr(experiment.design, key)]
        phrases = [str(option) if varied.kind is None else named_in_full(varied.kind, option) for option in others]
        yield f"  {varied.code:<2} {varied.name}: {'; '.join(phrases) or 'the same option again'}"


def _data_lines(plan: Plan) -> Iterator[str]:
    """Yield the raw files of every data set, and the varied decisions that do not affect some metrics."""
    sources = plan.sources
    yield "Data:"
    for label, source in sources.items():
        files = [f"{file} (sha256 {digest[:10]})" for file, digest in source.digested()]
        yield f"  {label}: {', '.join(files) or 'generated, without a file'}"
    yield from (f"  note: {remark}" for remark in remarks_on(plan))


def _job_lines(plan: Plan, cores: int) -> Iterator[str]:
    preview = RunPreview.of(plan)
    yield f"Jobs: {counted(preview.all_jobs)}, for {counts_of(plan)}"
    yield from preview.jobs()
    if preview.to_do:
        yield from describe_time(preview.all_jobs, preview.to_do, cores, Prices(plan))
    yield describe_disk(preview.all_jobs, preview.to_do)
    yield from other_run_lines()
