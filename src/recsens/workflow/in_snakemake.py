"""What a Snakemake does differently within a run: it takes part in the lock of the results, and its jobs start at once."""

import atexit
import os
import sys
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from recsens.artefacts.addresses import RESULTS
from recsens.workflow.ask._resources import GROUPS
from recsens.workflow.job import ONE_BLAS_THREAD
from recsens.workflow.left_behind import end_orphans
from recsens.workflow.lock import RunError, check_results, check_writable, is_passed_on, only_writer
from recsens.workflow.slurm import cancel_jobs_left
from recsens.workflow.stopping import end_at_once_in_snakemake
from recsens.workflow.writer import MARK, Writer

_IN_SLURM = "slurm-jobstep"
"""What Snakemake's executor for Slurm has the jobs of a Slurm job run by."""

_ASKED = ("SLURM_CPUS_PER_TASK", "NSLOTS", "NCPUS", "LSB_DJOB_NUMPROC", "RECSENS_THREADS")
"""Where Slurm, Grid Engine, PBS, LSF and our profile for Kubernetes tell a job how many processors it asked for."""


def begin(workflow: Any) -> None:
    """Prepare a Snakemake that has read the rules."""
    os.environ.update(ONE_BLAS_THREAD)
    keep_to_request(workflow, GROUPS)
    use_worker(workflow)


def keep_to_request(workflow: Any, groups: Iterable[str]) -> None:
    """Let a Snakemake that a cluster has started do all that it was given at once, on no more processors than its job asked for.

    By itself it would take all processors of the node; and where several chains of jobs are one group, Slurm would be asked to
    begin each on its own, one after another.
    """
    if not workflow.remote_exec:
        return
    asked = next((os.environ[name] for name in _ASKED if name in os.environ), "")
    if asked.isdecimal():
        workflow.global_resources["_cores"] = int(asked)
        workflow.global_resources["_nodes"] = None
    workflow.group_settings.group_components = dict.fromkeys(groups, sys.maxsize)


def use_worker(workflow: Any) -> None:
    """Have a Snakemake that `recsens run` or a cluster has started on Linux run its jobs by `recsens.workflow.executor`."""
    if sys.platform == "linux" and (workflow.remote_exec or is_passed_on(Path(RESULTS))):
        from snakemake.scheduling.job_scheduler import ExecutorPluginRegistry  # noqa: PLC0415 - as in `judged`

        from recsens.workflow.executor import Executor, common_settings  # noqa: PLC0415 - as in `judged`

        plugins = ExecutorPluginRegistry()
        plugins.get_plugin("local").executor = Executor
        if workflow.remote_exec and plugins.is_installed(_IN_SLURM):
            # A job of ours stays on its node: 'srun' would start a Snakemake and a Python for each of its jobs.
            within = plugins.get_plugin(_IN_SLURM)
            within.executor, within.common_settings = Executor, common_settings
        _start_jobs_at_any_rate()


def hold_results() -> None:
    """Hold the lock of the results until this process ends; one that `recsens run` has started holds it already.

    Where another process is writing the results, or they cannot be written, Snakemake ends with the message alone.
    """
    try:
        _hold(Path(RESULTS))
    except RunError as error:
        sys.exit(f"recsens: {error}")


def hold_results_in_module(workflow: Any) -> None:
    """Have a run hold the results where this workflow is a module of another Snakefile, whose own ``onstart`` is called after.

    An ``onstart`` that stands behind the module takes the place of this one, and has to call `hold_results` itself.
    """
    own = workflow._onstart  # noqa: SLF001 - Snakemake calls only the handlers of the main Snakefile, and has no other way to add one

    def start(log: str) -> None:
        hold_results()
        own(log)

    workflow._onstart = start  # noqa: SLF001 - as above


def _hold(results: Path) -> None:
    if is_passed_on(results):
        end_at_once_in_snakemake()
        _accept_inputs_of_the_future()
        return
    check_results(results)
    check_writable(results)
    end_orphans(results)
    held = ExitStack()
    held.enter_context(only_writer(results))
    cancel_jobs_left(results)
    atexit.register(held.close)
    # Jobs inherit the mark: those of a killed Snakemake are ended by whoever writes next.
    os.environ[MARK] = str(Writer.here(results))


def _start_jobs_at_any_rate() -> None:
    """Have Snakemake start jobs on this machine as fast as they end.

    Its limit, 100 a second by default, cannot be switched off, and costs more than it saves: each look at the jobs that are ready
    has Snakemake look again a second later, so that after n jobs it looks n times a second.
    """
    from snakemake.scheduling.job_scheduler import JobScheduler  # noqa: PLC0415 - as in `judged`

    begin = JobScheduler.__init__

    def begin_without_limit(scheduler: Any, workflow: Any, *given: Any) -> None:
        if workflow.local_exec:
            workflow.scheduling_settings.max_jobs_per_timespan = None
        begin(scheduler, workflow, *given)

    JobScheduler.__init__ = begin_without_limit


def _accept_inputs_of_the_future() -> None:
    """Have Snakemake keep what a job has made from a file with a later time, which otherwise fails: no time says what is sound.

    Such files come from archives packed in another time zone, and from disks with clocks of their own.
    """
    from snakemake.dag import DAG  # noqa: PLC0415 - plain Python need not wait for Snakemake

    async def accept(*_: Any) -> None:
        """Compare no times."""

    DAG.check_output_mtime = accept
