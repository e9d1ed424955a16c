"""What our executors for clusters have in common: a job runs its steps by the executor ``recsens``, on what it asked for."""

from typing import Any

from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor

from snakemake_executor_plugin_recsens._leaves_sound import LeavesSound


class ForClusters(LeavesSound, RemoteExecutor):  # type: ignore[misc]
    """Stands before the class of an executor for a cluster."""

    def additional_general_args(self) -> str:
        """Have the Snakemake of a job run all chains of a group at once, each step forked from one worker."""
        from recsens.workflow.in_snakemake import name_of_run  # noqa: PLC0415 - whoever runs another workflow need not wait for it

        return f"--executor recsens --recsens-run {name_of_run()}"

    def get_job_args(self, job: Any, **given: Any) -> str:
        """Have the Snakemake of a job keep to the processors that it asked for; by itself it would take all of its node."""
        return f"{super().get_job_args(job, **given)} --cores {max(job.resources.get('_cores', 1), 1)}"
