"""Shared by our cluster executors: a job runs its steps with the executor ``recsens``, on the processors that it requested."""

from typing import Any

from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor

from snakemake_executor_plugin_recsens._leaves_sound import LeavesSound


class ForClusters(LeavesSound, RemoteExecutor):  # type: ignore[misc]
    """A base class to put before a cluster executor's class."""

    def additional_general_args(self) -> str:
        """Let a job's Snakemake run all chains of a group at once, each step forked from one worker."""
        from recsens.workflow.in_snakemake import name_of_run  # noqa: PLC0415 - other workflows need not wait for it

        return f"--executor recsens --recsens-run {name_of_run()}"

    def get_job_args(self, job: Any, **given: Any) -> str:
        """Limit a job's Snakemake to the processors that it requested; by default it would use the whole node."""
        return f"{super().get_job_args(job, **given)} --cores {max(job.resources.get('_cores', 1), 1)}"
