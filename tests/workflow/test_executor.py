"""How jobs are run changes no byte: by a worker or by a Python each, on one processor or two, and if the worker is killed."""

import subprocess
import sys
import time
from contextlib import suppress

import psutil
import pytest

from workspaces import DEFAULT_PROFILE, Workspace

pytestmark = [pytest.mark.workflow, pytest.mark.skipif(sys.platform != "linux", reason="workers run on Linux alone")]

COPIED = {"report.html", ".lock", ".statements/report.html.json"}
"""What a run adds to what Snakemake makes."""


@pytest.mark.slow
def test_jobs_of_a_python_each_write_the_bytes_of_a_workers(finished_once: Workspace, workspace: Workspace) -> None:
    workspace.snakemake("tiny", "--workflow-profile", DEFAULT_PROFILE, "--cores", "2")
    expected = finished_once.results()
    assert {name: expected[name] for name in expected if name not in COPIED} == {
        name: content for name, content in workspace.results().items() if name not in COPIED
    }


@pytest.mark.trial
def test_a_run_whose_worker_is_killed_goes_on_to_the_same_bytes(finished_once: Workspace, workspace: Workspace) -> None:
    run = subprocess.Popen(
        workspace.command("run", "tiny", "--cores", "1"),
        cwd=workspace.root,
        env=workspace.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    killed = None
    while killed is None and run.poll() is None:
        # The worker of the second stage: it has made a ranking.
        if (workspace.root / "results/logs/rank").exists():
            killed = next((each for each in psutil.Process(run.pid).children(recursive=True) if is_worker(each)), None)
        time.sleep(0.01)
    assert killed is not None
    killed.kill()
    _, said = run.communicate()
    assert run.returncode == 0, said
    assert workspace.differs_from(finished_once.results()) == {}


def is_worker(process: psutil.Process) -> bool:
    """Whether a process is the worker, and no job that it has forked."""
    with suppress(psutil.NoSuchProcess):
        parent = process.parent()
        return "recsens.workflow.worker" in process.cmdline() and parent is not None and "snakemake" in parent.cmdline()
    return False
