"""Start a study from the command line or a notebook: prepare everything before Snakemake runs."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from recsens import plugins
from recsens.artefacts.addresses import RESULTS
from recsens.data.datasets import DataSet, fetch, locate
from recsens.errors import RecsensError
from recsens.study import Study
from recsens.workflow import code_digests
from recsens.workflow.lock import RunError, check_results
from recsens.workflow.plan import Plan
from recsens.workflow.profiles import DEFAULT_PROFILE, find_profile, options_for_commands
from recsens.workflow.run import run_workflow, show_latest
from recsens.workflow.slurm import options_for_slurm

LATEST = Path(RESULTS / "report.html")
"""The report of the last run."""


def check_folder() -> None:
    """Refuse a working directory in which no study can be run.

    Raises
    ------
    RecsensError
        If Snakemake would parse the path as a pattern, or if ``results`` is not a folder.
    """
    if set("{}") & set(str(Path.cwd())):
        raise RecsensError(
            "the path of this folder contains a brace, which Snakemake reads as a pattern: it would see locks of other folders",
            where=str(Path.cwd()),
            remedy="rename the folder, or work in another one",
        )
    check_results(Path(RESULTS))


def ready_plan(study: str, profile: str = DEFAULT_PROFILE) -> Plan:
    """Check that a study's decisions can be combined, download its data sets, and return its plan.

    Raises
    ------
    RecsensError
        In the same cases as `plan_as_it_is` and `recsens.data.datasets.fetch`.
    """
    plan = plan_as_it_is(study, profile)
    fetch_data(plan.study)
    return plan


def plan_as_it_is(study: str, profile: str = DEFAULT_PROFILE) -> Plan:
    """Check that a study's decisions can be combined, and return its plan; nothing is downloaded or written.

    Raises
    ------
    RecsensError
        In the same cases as `check_folder` and `Plan`, or if there is no such profile.
    """
    check_folder()
    find_profile(profile)
    # In a long-running process, such as a notebook, the user's own code and files may have changed since the last plan.
    code_digests.forget_code()
    plugins.address.cache_clear()
    plan = Plan(study)
    plan.refuse_conflicts()
    return plan


def fetch_data(study: Study) -> None:
    """Download a study's data sets that are missing here; raises the same errors as `recsens.data.datasets.fetch`."""
    for spec in study.datasets.values():
        component = DataSet.build(spec)
        if locate(component) is None:
            fetch(component)


class Finished(NamedTuple):
    """Results that are up to date.

    Attributes
    ----------
    changed
        Whether any job had to run.
    page
        The report to open.
    """

    changed: bool
    page: Path


def bring_up_to_date(plan: Plan, *, profile: str = DEFAULT_PROFILE, cores: int | None = None, more: Sequence[str] = ()) -> Finished:
    """Bring a study's results up to date, by default on all processors, and copy its report to the top of the results.

    If no job has to run, nothing needs to be written; if the report then cannot be copied, the path of the report itself is
    returned. ``more`` are further options for Snakemake.

    Raises
    ------
    RunError
        In the same cases as `run_workflow`, or if the report of a run cannot be copied.
    """
    changed = run_workflow(plan, options_for(profile, cores, more))
    report = Path(plan.folder) / "report.html"
    try:
        show_latest(report, LATEST)
    except RunError:
        if changed:
            raise
        return Finished(changed, report)
    return Finished(changed, LATEST)


def n_cores(asked: int | None) -> int:
    """Return the requested number of processors; by default, the number of this machine's processors."""
    return asked or os.cpu_count() or 1


def options_for(profile: str = DEFAULT_PROFILE, cores: int | None = None, more: Sequence[str] = ()) -> list[str]:
    """Return Snakemake's options for a profile and a number of processors (by default all of them), followed by ``more``."""
    folder = find_profile(profile)
    slurm = options_for_slurm(folder, more, Path(RESULTS))
    return ["--workflow-profile", str(folder), "--cores", str(n_cores(cores)), *options_for_commands(folder), *slurm, *more]
