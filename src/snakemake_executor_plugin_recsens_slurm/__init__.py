"""Snakemake's executor ``recsens-slurm``; it needs Snakemake's plug-in for Slurm, which is optional."""

from snakemake_interface_common.exceptions import WorkflowError

from snakemake_executor_plugin_recsens.cluster import SETTINGS, ForClusters, missing

__all__ = ["Executor", "common_settings"]

try:
    from snakemake_executor_plugin_slurm import Executor as Slurm
    from snakemake_executor_plugin_slurm import ExecutorSettings, common_settings
except ImportError:
    common_settings, Executor = SETTINGS, missing("slurm")
else:
    __all__ += ["ExecutorSettings"]

    class Executor(ForClusters, Slurm):  # type: ignore[misc, no-redef]
        """Snakemake's executor for Slurm, which skips jobs whose results are sound."""

        def __post_init__(self) -> None:
            """Refuse job arrays, because every job in an array would run the steps of the first job."""
            if getattr(self.workflow.executor_settings, "array_jobs", None):
                raise WorkflowError("recsens sends no job arrays: remove 'recsens-slurm-array-jobs'; short jobs are grouped anyway")
            super().__post_init__()
