"""The bytes are the same however jobs run: by a worker, in separate Python processes, in one process, or if the worker is killed.

And jobs whose results are sound are never run, however they are started.
"""

import os
import re
import subprocess
import sys
import time
from contextlib import suppress

import psutil
import pytest

from in_process import compute
from workspaces import DEFAULT_PROFILE, LEFT_ALONE, Workspace

pytestmark = [pytest.mark.workflow, pytest.mark.skipif(sys.platform != "linux", reason="workers run on Linux alone")]

COPIED = {"report.html", ".lock", ".statements/report.html.json"}
"""What a run adds to what its jobs make."""


@pytest.mark.slow
def test_jobs_of_a_python_each_write_the_bytes_of_a_workers(finished: Workspace) -> None:
    before, done = finished.results(), []
    # Tables and figures first, because they would be made again after a ranking.
    for patterns in (
        ("studies/tiny/figures/view.*", "studies/tiny/ties.csv"),
        ("**/user_knn*/**/model.npz", "**/user_knn*/**/*.parquet"),
    ):
        paths = [path for pattern in patterns for path in (finished.root / "results").glob(pattern)]
        for path in paths:
            path.unlink()
        asked = [str(path.relative_to(finished.root)) for path in paths]
        said = finished.snakemake("tiny", "--executor", "local", "--cores", "2", "--rerun-triggers", "software-env", "--", *asked)
        done += re.findall(r"^Finished jobid: \d+ \(Rule: (\w+)\)", said, re.MULTILINE)
    assert sorted(done) == ["describe_ties", "figure", "fit", "rank"]
    assert finished.differs_from(before) == {}


@pytest.mark.slow
def test_jobs_done_one_by_one_in_one_process_write_the_bytes_of_a_run(finished_once: Workspace, workspace: Workspace) -> None:
    compute(workspace.root, "tiny")
    expected = finished_once.results()
    assert {name: expected[name] for name in expected if name not in COPIED} == {
        name: content for name, content in workspace.results().items() if name not in COPIED
    }


PROFILE = ("--workflow-profile", DEFAULT_PROFILE, "--cores", "2")


@pytest.mark.slow
def test_a_snakemake_that_is_told_to_do_everything_leaves_sound_results_alone(finished: Workspace) -> None:
    before = finished.results()
    (finished.root / "results/studies/tiny/counted.csv").unlink()
    said = finished.snakemake("tiny", *PROFILE, "--forceall")
    left, done = LEFT_ALONE.findall(said), re.findall(r"^Finished jobid: \d+ \(Rule: (\w+)\)", said, re.MULTILINE)
    assert sorted(set(done) - set(left)) == ["all", "count_users"]
    assert len(done) == len(left) + 2
    assert finished.differs_from(before) == {}


@pytest.mark.slow
def test_a_file_of_the_users_own_from_the_future_is_read_like_any_other(finished: Workspace) -> None:
    before = finished.results()
    (finished.root / "results/studies/tiny/summary.csv").unlink()
    [model] = (finished.root / "results").glob("seed-0/**/model.npz")
    for late in (finished.root / "config/studies/tiny.yaml", model):
        os.utime(late, (4e9, 4e9))
    said = finished.snakemake("tiny", *PROFILE)
    assert "summarise" not in LEFT_ALONE.findall(said)
    assert finished.differs_from(before) == {}


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
        # The worker of the second stage, which has made a ranking.
        if (workspace.root / "results/logs/rank").exists():
            killed = next((each for each in psutil.Process(run.pid).children(recursive=True) if is_worker(each)), None)
        time.sleep(0.01)
    assert killed is not None
    killed.kill()
    _, said = run.communicate()
    assert run.returncode == 0, said
    assert workspace.differs_from(finished_once.results()) == {}


def is_worker(process: psutil.Process) -> bool:
    """Whether a process is the worker itself, not a job that it has forked."""
    with suppress(psutil.NoSuchProcess):
        parent = process.parent()
        return "recsens.workflow.worker" in process.cmdline() and parent is not None and "snakemake" in parent.cmdline()
    return False
