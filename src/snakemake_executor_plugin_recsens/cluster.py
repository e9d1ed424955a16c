"""Code shared by our cluster executors: a job runs its steps with the executor ``recsens``, on the processors that it requested."""

from typing import Any

from snakemake_interface_common.exceptions import WorkflowError
from snakemake_interface_executor_plugins.executors.base import AbstractExecutor
from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor
from snakemake_interface_executor_plugins.settings import CommonSettings

from snakemake_executor_plugin_recsens._leaves_sound import LeavesSound

SETTINGS = CommonSettings(non_local_exec=True, implies_no_shared_fs=False, job_deploy_sources=False)
"""The settings of an executor whose plug-in is missing."""


def missing(extra: str) -> type[AbstractExecutor]:
    """Return an executor that names the extra to install, because Snakemake requires every plug-in to be complete."""

    class Executor(AbstractExecutor):  # type: ignore[misc]
        def __init__(self, *_: Any) -> None:
            raise WorkflowError(f"this executor's plug-in is not installed\n  what to do: pip install 'recsens[{extra}]'")

    return Executor


class ForClusters(LeavesSound, RemoteExecutor):  # type: ignore[misc]
    """A base class to list before the class of a cluster executor."""

    def additional_general_args(self) -> str:
        """Let a job's Snakemake use the executor ``recsens``, which forks each step from one worker, and name the run."""
        from recsens.workflow.in_snakemake import name_of_run  # noqa: PLC0415 - other workflows need not wait for it

        return f"--executor recsens --recsens-run {name_of_run()}"

    def get_job_args(self, job: Any, **given: Any) -> str:
        """Limit a job's Snakemake to the processors that the job requested; by default, it would use the whole node."""
        return f"{super().get_job_args(job, **given)} --cores {max(job.resources.get('_cores', 1), 1)}"
