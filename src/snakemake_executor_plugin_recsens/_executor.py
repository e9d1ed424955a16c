"""Run jobs on this machine in the worker; Snakemake itself would start a Python process for each job."""

import sys
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from snakemake.benchmark import BenchmarkRecord, write_benchmark_records
from snakemake.exceptions import SpawnedJobError
from snakemake.executors import local
from snakemake_interface_executor_plugins.settings import ExecutorSettingsBase

from recsens.workflow.job import Job
from recsens.workflow.worker import Used, Worker
from snakemake_executor_plugin_recsens._leaves_sound import LeavesSound, is_step

common_settings = local.common_settings
"""The settings that Snakemake requires of every executor."""


@dataclass
class ExecutorSettings(ExecutorSettingsBase):  # type: ignore[misc]
    """Settings that cluster executors pass to a job's executor.

    Attributes
    ----------
    run
        Name of the run that sent the job.
    """

    run: str = field(default="", metadata={"help": "Name of the run that has sent this job; set by executors for clusters."})


class Executor(LeavesSound, local.Executor):  # type: ignore[misc]
    """Snakemake's executor for one machine; it runs jobs that call a step in the worker, if they need no other environment."""

    def __post_init__(self) -> None:
        """Prepare a worker; its process starts with the first job."""
        super().__post_init__()
        self._worker = Worker()

    def run_single_job(self, job: Any) -> Future[None]:
        """Start a job."""
        is_ours = is_step(job) and not job.is_shadow and not self.workflow.deployment_settings.deployment_method
        if not is_ours or sys.platform != "linux":
            return super().run_single_job(job)  # type: ignore[no-any-return]
        self.workflow.async_run(job.prepare())
        submitted: Future[None] = self.pool.submit(self.cached_or_run, job, self._run_in_worker, job)
        return submitted

    def shutdown(self) -> None:
        """Wait for the jobs, and end the worker."""
        super().shutdown()
        self._worker.close()

    def cancel(self) -> None:
        """End the jobs with the worker."""
        self._worker.close()
        super().cancel()

    def _run_in_worker(self, job: Any) -> None:
        begun = time.monotonic()
        used = self._worker.run(Job.of(job, job.threads), job.resources.get("limit"))
        if used is None or used.code != 0:
            raise SpawnedJobError  # the job has said why
        if job.benchmark:
            record = _record(used, time.monotonic() - begun, job)
            write_benchmark_records([record], str(job.benchmark), self.workflow.output_settings.benchmark_extended)


def _record(used: Used, seconds: float, job: Any) -> BenchmarkRecord:
    """Return Snakemake's record for a job; values that would need sampling are left unknown."""
    record = BenchmarkRecord(
        running_time=seconds,
        max_rss=used.peak_mib,
        max_vms="NA",
        max_uss="NA",
        max_pss="NA",
        io_in=used.read_mib,
        io_out=used.written_mib,
        cpu_usage=100 * used.cpu,
        cpu_time=used.cpu,
        input=job.input,
    )
    record.data_collected = True
    record.jobid, record.rule_name, record.wildcards = job.jobid, job.rule.name, job.wildcards
    record.params, record.resources, record.threads = job.params, job.resources, job.threads
    return record
