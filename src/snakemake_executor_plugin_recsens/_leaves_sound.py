"""Shared by all recsens executors: hold the results lock, and skip jobs whose results are sound."""

import os
import threading
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from snakemake_interface_common.exceptions import WorkflowError
from snakemake_interface_executor_plugins.executors.base import AbstractExecutor, SubmittedJobInfo
from snakemake_interface_executor_plugins.executors.real import RealExecutor

from recsens.artefacts.filesets import list_paths
from recsens.workflow.job import Job, note_reason
from recsens.workflow.job import is_step as is_rule_of_step

_NOT_OURS = "it is read-only, or someone else's\n  what to do: give yourself permission to write there, and run again"


class LeavesSound(RealExecutor):  # type: ignore[misc]
    """A base class to list before another executor's class; it passes on only the jobs with a result that is not sound.

    It takes the results lock before the first of these jobs. A group with an unsound result is passed on as a whole; on a cluster,
    the executor that receives the group skips its other jobs.
    """

    def __post_init__(self) -> None:
        """Start without any statement of a result."""
        from recsens.workflow.staleness import Stated  # noqa: PLC0415 - other workflows need not wait for it

        self._stated = Stated()
        self._takes_part = False
        self._held = ExitStack()
        super().__post_init__()

    def run_jobs(self, jobs: list[Any]) -> None:
        """Run jobs, except those whose results are sound, which count as done at once."""
        self._take_part()
        _forget_looks()
        to_do = []
        for job in jobs:
            if self._is_made(job):
                self._leave_alone(job)
            elif not job.is_group() and _has_record(job) and self._is_part_of_made(job):
                _put_empty_files(job)
                self._leave_alone(job)
            else:
                to_do.append(job)
        super().run_jobs(to_do)

    def report_job_success(self, job_info: Any) -> None:
        """Report that a job is done, and forget the earlier statements of its files."""
        for job in single_jobs(job_info.job):
            self._stated.forget(map(str, job.output))
            _leave_out_later_inputs(job)
        super().report_job_success(job_info)

    def report_job_error(self, job_info: Any, msg: str | None = None, **more: Any) -> None:
        """Report that a job has failed, and forget the earlier statements of its files."""
        for job in single_jobs(job_info.job):
            self._stated.forget(map(str, job.output))
        super().report_job_error(job_info, msg, **more)

    def shutdown(self) -> None:
        """Wait for the jobs, and shut down."""
        _forget_looks()
        super().shutdown()
        self._held.close()

    def cancel(self) -> None:
        """End the jobs, and shut down."""
        _forget_looks()
        super().cancel()
        self._held.close()

    def _take_part(self) -> None:
        if self._takes_part:
            return
        from recsens.workflow.in_snakemake import hold_results, take_part_of_main_process  # noqa: PLC0415 - as above
        from recsens.workflow.lock import RunError  # noqa: PLC0415 - as above

        self._takes_part = True
        try:
            if self.workflow.is_main_process:
                self._held = hold_results()
            else:
                take_part_of_main_process(self.workflow.executor_settings.run)
        except RunError as error:
            raise WorkflowError(f"recsens: {error}") from error

    def _is_made(self, job: Any) -> bool:
        """Whether all results of a job, or of each job in a group, are sound."""
        from recsens.workflow.staleness import is_made  # noqa: PLC0415 - as above

        return all(is_step(each) and _has_record(each) and is_made(Job.of(each), self._stated) for each in single_jobs(job))

    def _is_part_of_made(self, job: Any) -> bool:
        """Whether a job only makes parts of sound results, which were removed once these results were made."""
        from recsens.workflow.job_inputs import parts_read  # noqa: PLC0415 - as above

        wholes = list(self.workflow.dag.depending[job])
        written = set(map(str, job.output))
        return bool(wholes) and all(
            is_step(whole) and written <= set(parts_read(Job.of(whole).inputs)) and self._is_made(whole) for whole in wholes
        )

    def _leave_alone(self, job: Any) -> None:
        """Report that a job is done; report an error instead if the times of its files cannot be updated."""
        from recsens.workflow.job_inputs import parts_read  # noqa: PLC0415 - as above
        from recsens.workflow.staleness import cannot_be_touched  # noqa: PLC0415 - as above

        info = SubmittedJobInfo(job=job)
        # Do not use this executor's own method, because the files are complete, and a cluster has no job to watch.
        AbstractExecutor.report_job_submission(self, info)
        written = [str(path) for single in single_jobs(job) for path in (*single.output, single.benchmark) if path]
        if others := cannot_be_touched(written):
            reason = f"{others}: is sound, but Snakemake cannot update its time: {_NOT_OURS}"
            note_reason(Path(str(job.log[0])), reason)
            for single in single_jobs(job):
                single.output = type(single.output)()  # otherwise Snakemake would delete the files of a failed job
            self.report_job_error(info, msg=reason)
            return
        for single in single_jobs(job):
            for part in parts_read(Job.of(single).inputs):
                Path(part).unlink(missing_ok=True)
            said = f"Rule: {single.rule.name}, Jobid: {single.jobid}: its results are sound, and are left alone"
            self.logger.info(said)
        self.report_job_success(info)


def is_step(job: Any) -> bool:
    """Whether a job calls a step, and every output file has a name; this is false for targets and for rules of other workflows."""
    return is_rule_of_step(job.rule) and len(list_paths(files for _, files in job.output.items())) == len(job.output)


def single_jobs(job: Any) -> list[Any]:
    """List the jobs of a group, each after the jobs that it needs; for a single job, list only this job."""
    return [each for level in job.toposorted for each in level] if job.is_group() else [job]


def _put_empty_files(job: Any) -> None:
    """Replace removed parts by empty files until the result that was merged from the parts is skipped too.

    This is needed because Snakemake looks for all files that a job makes.
    """
    for part in map(Path, map(str, job.output)):
        part.parent.mkdir(parents=True, exist_ok=True)
        part.touch()


def _has_record(job: Any) -> bool:
    """Whether Snakemake's record of a job's costs exists, if there should be one; Snakemake would report a missing record."""
    return not job.benchmark or Path(str(job.benchmark)).exists()


def _leave_out_later_inputs(job: Any) -> None:
    """Make Snakemake accept output that is older than its inputs, which it would otherwise treat as a clock error.

    Such inputs come from archives that were packed in another time zone, and from disks with their own clocks. Times do not
    determine whether a result is sound. Results get the current time. The user's own files stay unchanged, and are hidden from
    Snakemake at the end of the job.
    """
    if not is_step(job) or not job.output:
        return
    first = Path(str(job.output[0]))
    with suppress(OSError):
        os.utime(first)
        now = first.stat().st_mtime
        if late := [path for path in job.input if _time_of(path) > now]:
            _give_time_of_now(Job.of(job), {str(path) for path in late})
            job.input = type(job.input)([path for path in job.input if _time_of(path) <= first.stat().st_mtime])


def _give_time_of_now(job: Job, late: set[str]) -> None:
    from recsens.workflow.job_inputs import results_read  # noqa: PLC0415 - as above

    for path in late.intersection(results_read(job.inputs)):
        with suppress(OSError):
            os.utime(path)


def _time_of(path: str) -> float:
    try:
        return Path(path).lstat().st_mtime
    except OSError:
        return 0.0


def _forget_looks() -> None:
    """Cancel the timers with which Snakemake limits the number of jobs per time span.

    Each timer looks for ready jobs and starts another timer. So after n jobs there are n timers, each with a thread, and these
    threads also delay the end. If a timer is still needed, Snakemake starts it again right after it starts jobs.
    """
    for timer in threading.enumerate():
        if isinstance(timer, threading.Timer) and timer.function.__module__.startswith("snakemake."):
            timer.cancel()
