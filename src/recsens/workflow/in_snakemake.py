"""Hold the results lock in Snakemake's processes."""

import atexit
import hashlib
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from snakemake_interface_common.exceptions import WorkflowError

from recsens.artefacts.addresses import RESULTS
from recsens.workflow.job import ONE_BLAS_THREAD
from recsens.workflow.leftovers import end_orphans
from recsens.workflow.lock import (
    MARK,
    RunError,
    Writer,
    check_results,
    check_writable,
    is_passed_on,
    note_of_writer,
    one_of_several_writers,
    only_writer,
)
from recsens.workflow.slurm import cancel_jobs_left
from recsens.workflow.stopping import end_at_once_in_snakemake


def begin() -> None:
    """Prepare a Snakemake process that is reading the rules."""
    os.environ.update(ONE_BLAS_THREAD)
    if is_passed_on(Path(RESULTS)):
        end_at_once_in_snakemake()


def hold_results() -> ExitStack:
    """Hold the results lock until the returned stack is closed, or this process ends.

    If `recsens run` started the process, it already holds the lock.

    Raises
    ------
    RunError
        If another process is writing the results, or if they are not writable.
    """
    results = Path(RESULTS)
    if is_passed_on(results):
        return ExitStack()
    check_results(results)
    check_writable(results)
    end_orphans(results)
    held = ExitStack()
    held.enter_context(only_writer(results))
    cancel_jobs_left(results)
    atexit.register(held.close)
    # Jobs inherit the mark; with it, the next writer finds and ends the jobs of a killed Snakemake.
    os.environ[MARK] = str(Writer.here(results))
    held.callback(os.environ.pop, MARK, None)
    return held


def share_results(workflow: Any) -> None:
    """Share the results lock, until this process ends, with jobs that executors other than ours start.

    A run that must not write is refused here, because Snakemake removes the earlier results of a job before it starts the job.

    Raises
    ------
    WorkflowError
        If `hold_results` raises RunError.
    """
    is_ours = workflow.executor_plugin is None or workflow.executor_plugin.name.startswith("recsens")
    if workflow.is_main_process and not is_ours and not is_passed_on(Path(RESULTS)):
        shared = ExitStack()
        try:
            shared.enter_context(one_of_several_writers(Path(RESULTS)))
        except RunError as error:
            raise WorkflowError(f"recsens: {error}") from error
        atexit.register(shared.close)


def name_of_run() -> str:
    """Return the name by which jobs on a cluster recognise this process's run."""
    return _name_of(os.environ[MARK])


def take_part_of_main_process(run: str) -> None:
    """Let child processes write on behalf of the process that holds the results lock and sent these jobs to a cluster.

    Raises
    ------
    RunError
        If another process holds the lock now, because the run that sent the jobs has ended.
    """
    note = note_of_writer(Path(RESULTS))
    if run != _name_of(note):
        holder = Writer.read(note)
        raise RunError(
            f"the run that sent this job has ended{f', and another one is running ({holder.words})' if holder else ''}",
            where=str(Path(RESULTS).resolve()),
            remedy="nothing: the next run will do the missing jobs",
        )
    os.environ[MARK] = note


def _name_of(note: str) -> str:
    return hashlib.sha256(note.encode()).hexdigest()[:16]


@contextmanager
def taking_part() -> Iterator[None]:
    """Hold the results lock for a job that an executor other than ours started; otherwise, the run already holds the lock.

    Such jobs share the lock, so no process can hold it alone.

    Raises
    ------
    RunError
        If another process is writing the results.
    """
    results = Path(RESULTS)
    is_held = bool(os.environ.get(MARK)) and os.environ[MARK] == note_of_writer(results)
    with nullcontext() if is_held else one_of_several_writers(results):
        yield
