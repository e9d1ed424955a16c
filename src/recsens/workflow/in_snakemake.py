"""What a Snakemake does differently within a run: it takes part in the lock of the results, and its jobs start at once."""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from recsens.artefacts.addresses import RESULTS
from recsens.workflow.left_behind import end_orphans
from recsens.workflow.lock import RunError, check_results, check_writable, is_passed_on, only_writer
from recsens.workflow.sources import NO_RESULTS
from recsens.workflow.stopping import end_at_once_in_snakemake
from recsens.workflow.writer import MARK, Writer

JUDGED = "RECSENS_JUDGED"
"""Environment variable of a Snakemake that is told which results to make, since what they state has been looked at."""


def judged(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs of a rule so that no time of the user's own files makes a job run, where results have been judged."""
    if JUDGED not in os.environ:
        return dict(inputs)
    from snakemake.io import ancient  # noqa: PLC0415 - plain Python need not wait for Snakemake

    return {name: ancient(files) if files and name in NO_RESULTS else files for name, files in inputs.items()}


def use_worker() -> None:
    """Have a Snakemake that `recsens run` has started on Linux run its jobs on this machine by `recsens.workflow.executor`."""
    if sys.platform == "linux" and is_passed_on(Path(RESULTS)):
        from snakemake.scheduling.job_scheduler import ExecutorPluginRegistry  # noqa: PLC0415 - as in `judged`

        from recsens.workflow.executor import Executor  # noqa: PLC0415 - as in `judged`

        ExecutorPluginRegistry().get_plugin("local").executor = Executor
        _start_jobs_at_any_rate()


def hold_results() -> None:
    """Hold the lock of the results until this process ends; one that `recsens run` has started holds it already.

    Where another process is writing the results, or they cannot be written, Snakemake ends with the message alone.
    """
    try:
        _hold(Path(RESULTS))
    except RunError as error:
        sys.exit(f"recsens: {error}")


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
