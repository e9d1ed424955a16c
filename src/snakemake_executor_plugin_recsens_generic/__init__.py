"""Snakemake's executor ``recsens-generic``: any cluster with a command that submits a script; its plug-in is optional."""

from snakemake_executor_plugin_recsens.cluster import SETTINGS, ForClusters, missing

__all__ = ["Executor", "common_settings"]

try:
    from snakemake_executor_plugin_cluster_generic import Executor as Generic
    from snakemake_executor_plugin_cluster_generic import ExecutorSettings, common_settings
except ImportError:
    common_settings, Executor = SETTINGS, missing("generic")
else:
    __all__ += ["ExecutorSettings"]

    class Executor(ForClusters, Generic):  # type: ignore[misc, no-redef]
        """Snakemake's generic executor for clusters, which skips jobs whose results are sound."""
