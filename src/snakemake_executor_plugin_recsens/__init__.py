"""Snakemake's executor ``recsens``: jobs whose results are sound are left alone, others are forked from a worker."""

from snakemake_executor_plugin_recsens._executor import Executor, ExecutorSettings, common_settings

__all__ = ["Executor", "ExecutorSettings", "common_settings"]
