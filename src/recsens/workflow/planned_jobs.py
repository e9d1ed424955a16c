"""A study's jobs, read from Snakemake's own graph without running or writing anything."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from logging import ERROR

from snakemake.api import SnakemakeApi
from snakemake.settings.types import (
    ConfigSettings,
    DAGSettings,
    OutputSettings,
    RerunTrigger,
    ResourceSettings,
    SharedFSUsage,
    StorageSettings,
    WorkflowSettings,
)
from snakemake_interface_executor_plugins.settings import ExecMode

from recsens.errors import RecsensError
from recsens.study.location import config_file, snakefile
from recsens.workflow.ask import reading_rules
from recsens.workflow.job import Job, is_step
from recsens.workflow.plan import Plan
from recsens.workflow.study_setting import as_setting


def planned_jobs(plan: Plan, target: str = "all") -> list[Job]:
    """List every job that makes a file for a workflow target; each job comes once, after all jobs that make its inputs.

    Raises
    ------
    RecsensError
        In the same cases as `Plan.rankings`, or if a raw file has disappeared meanwhile.
    """
    plan.rankings  # noqa: B018 - errors in the study are raised directly, not through Snakemake
    # Use a separate thread, because Snakemake runs an event loop and a notebook already has one.
    with ThreadPoolExecutor(1) as thread:
        try:
            return thread.submit(copy_context().run, lambda: list(_jobs_of(plan, target))).result()
        except Exception as error:
            raise _as_ours(error) from error


def _jobs_of(plan: Plan, target: str) -> Iterator[Job]:
    with (
        reading_rules(plan) as reading,
        SnakemakeApi(OutputSettings(log_level_override=ERROR, enable_file_logging=False, skip_plugin_handlers=True)) as snakemake,
    ):
        graph = snakemake.workflow(
            ResourceSettings(cores=1),
            ConfigSettings(config={"study": as_setting(str(plan.path))}, configfiles=[config_file()]),
            # Snakemake keeps its records in a temporary folder, as for jobs on other machines, and writes nothing here.
            StorageSettings(shared_fs_usage=SharedFSUsage.all() - {SharedFSUsage.PERSISTENCE}),
            WorkflowSettings(exec_mode=ExecMode.REMOTE),
            snakefile=snakefile(),
        ).dag(DAGSettings(targets=[target], rerun_triggers={RerunTrigger.SOFTWARE_ENV}, max_checksum_file_size=0))
        # This action on the graph changes nothing, because it lists temporary files and the workflow has none.
        graph.delete_output(only_temp=True, dryrun=True)
        for level in reading.workflow.dag.toposorted():
            yield from (Job.of(job) for job in sorted(level, key=lambda job: job.jobid) if is_step(job.rule))


def _as_ours(error: Exception) -> RecsensError:
    """Return the recsens error behind a Snakemake error, or a new one with Snakemake's message."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, RecsensError):
            return cause
        cause = cause.__cause__ or cause.__context__
    return RecsensError(f"Snakemake cannot plan the jobs: {error}")
