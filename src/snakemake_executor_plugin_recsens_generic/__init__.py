"""Snakemake's executor ``recsens-generic``: any cluster with a command that submits a script."""

from snakemake_executor_plugin_cluster_generic import Executor as Generic
from snakemake_executor_plugin_cluster_generic import ExecutorSettings, common_settings

from snakemake_executor_plugin_recsens.cluster import ForClusters

__all__ = ["Executor", "ExecutorSettings", "common_settings"]


class Executor(ForClusters, Generic):  # type: ignore[misc]
    """Snakemake's generic executor for clusters, which skips jobs whose results are sound."""
