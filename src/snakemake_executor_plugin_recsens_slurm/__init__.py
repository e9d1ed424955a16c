"""Snakemake's executor ``recsens-slurm``; it needs Snakemake's plug-in for Slurm, which is optional."""

import hashlib

from snakemake_interface_common.exceptions import WorkflowError

from snakemake_executor_plugin_recsens.cluster import SETTINGS, ForClusters, missing

__all__ = ["Executor", "common_settings"]

_LONGEST = 255
"""Largest number of characters of a folder's name on common file systems; the names of our jobs are ASCII."""


def _fitting(name: str) -> str:
    """Return a name for a folder: the name itself if it fits, or else its beginning and a digest of the whole name."""
    return name if len(name) <= _LONGEST else f"{name[:200]}_{hashlib.sha256(name.encode()).hexdigest()[:16]}"


try:
    import snakemake_executor_plugin_slurm as plugin
    from snakemake_executor_plugin_slurm import Executor as Slurm
    from snakemake_executor_plugin_slurm import ExecutorSettings, common_settings
except ImportError:
    common_settings, Executor = SETTINGS, missing("slurm")
else:
    __all__ += ["ExecutorSettings"]

    # The plug-in names the folder of a job's logs after all its wildcards; a longer name than a folder may have would end the run.
    _name_of = plugin.get_job_wildcards
    plugin.get_job_wildcards = lambda job: _fitting(_name_of(job))

    class Executor(ForClusters, Slurm):  # type: ignore[misc, no-redef]
        """Snakemake's executor for Slurm, which skips jobs whose results are sound."""

        def __post_init__(self) -> None:
            """Refuse job arrays, because every job in an array would run the steps of the first job."""
            if getattr(self.workflow.executor_settings, "array_jobs", None):
                raise WorkflowError("recsens sends no job arrays: remove 'recsens-slurm-array-jobs'; short jobs are grouped anyway")
            super().__post_init__()
