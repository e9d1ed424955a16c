"""Snakemake's executor ``recsens``: it skips jobs whose results are sound, and forks the others from a worker."""

from snakemake_executor_plugin_recsens._executor import Executor, ExecutorSettings, common_settings

__all__ = ["Executor", "ExecutorSettings", "common_settings"]
