"""Our plug-ins within Snakemake: they use only public names that exist, and leave no check pending."""

import ast
import inspect
import re
import threading
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
import snakemake.api  # noqa: F401 - its modules cannot be imported in any order
from snakemake.executors import local
from snakemake.scheduling.job_scheduler import ExecutorPluginRegistry, JobScheduler

from snakemake_executor_plugin_recsens import Executor
from snakemake_executor_plugin_recsens._leaves_sound import _forget_looks
from workspaces import REPOSITORY

BEYOND_INTERFACES = {
    "snakemake.benchmark": ("BenchmarkRecord", "write_benchmark_records"),
    "snakemake.exceptions": ("SpawnedJobError",),
    "snakemake.executors.local:Executor": ("cached_or_run", "common_settings", "run_single_job"),
    "snakemake.jobs:GroupJob": ("toposorted",),
    "snakemake.api:SnakemakeApi": ("workflow",),
    "snakemake.dag:DAG": ("depending", "toposorted"),
    "snakemake.jobs:Job": ("benchmark", "input", "is_shadow", "output", "params", "prepare"),
    "snakemake.rules:Rule": ("name", "script"),
    "snakemake.workflow:Workflow": ("async_run", "dag", "executor_plugin", "is_main_process"),
}
"""The public names of Snakemake that we use besides its plug-in interfaces, by module or class."""

PLUGINS = sorted((REPOSITORY / "src").glob("snakemake_*/*.py"))


@pytest.mark.parametrize("home", BEYOND_INTERFACES)
def test_what_is_used_of_snakemake_is_there_and_public(home):
    module, _, name = home.partition(":")
    found = getattr(import_module(module), name) if name else import_module(module)
    known = {*dir(found), *re.findall(r"self\.(\w+) = ", inspect.getsource(found))}
    assert [each for each in BEYOND_INTERFACES[home] if each not in known] == []
    assert not [each for each in BEYOND_INTERFACES[home] if each.startswith("_")]


def test_jobs_are_run_in_threads_of_the_local_executor():
    assert "pool" in local.Executor.__post_init__.__code__.co_names


@pytest.mark.parametrize("path", PLUGINS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_plugin_reaches_into_snakemake(path: Path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] == "snakemake":
            assert {alias.name for alias in node.names} <= known_of(str(node.module)), ast.unparse(node)
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
            assert ast.unparse(node.value) in {"self", "os"}, ast.unparse(node)


def known_of(module: str) -> set[str]:
    """List the names of a Snakemake module that are used, according to the list."""
    inner = {home.rpartition(".")[2].partition(":")[0] for home in BEYOND_INTERFACES if home.startswith(f"{module}.")}
    return {*BEYOND_INTERFACES.get(module, ()), *inner}


def test_snakemake_finds_our_executors():
    plugins = ExecutorPluginRegistry()
    assert plugins.get_plugin("recsens").executor is Executor
    assert {"recsens", "recsens-generic", "recsens-slurm"} <= set(plugins.get_registered_plugins())


def test_looks_of_snakemakes_are_called_off_and_no_other_timers():
    called: list[str] = []
    JobScheduler._schedule_reevalutation(SimpleNamespace(_open_jobs=SimpleNamespace(release=lambda: called.append("look"))), 0.2)
    mine = threading.Timer(0.2, lambda: called.append("mine"))
    mine.start()
    _forget_looks()
    mine.join()
    assert not [each for each in threading.enumerate() if isinstance(each, threading.Timer)]
    assert called == ["mine"]
