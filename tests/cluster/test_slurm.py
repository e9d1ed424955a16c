"""A real Slurm gives the same bytes as one machine, with or without job accounting, and whatever happens to jobs and submitters."""

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from cluster.one_node import jobs, need_slurm, said_by, slurm, wait_for
from workspaces import Workspace

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

SLURM = ("--profile", "slurm", "--cores", "200")

GREEDY = """\
import os
import time

import numpy as np
from recsens.recommenders import Recommender


class Greedy(Recommender):
    \"\"\"Popularity, learned on a cluster with more memory than two fits of its size ask for.\"\"\"

    def fit(self, train, rng):
        if "SLURM_JOB_ID" in os.environ:
            held = np.ones(3_600_000_000, dtype=np.uint8)
            time.sleep(6)
            del held
        self._learned = {"n": train.item_counts}
        return self

    def score(self, train, users):
        return np.tile(self._learned["n"] * 1.0, (len(users), 1))
"""

PROGRAM = """\
import csv
import os
import sys

train, items, scores, k = sys.argv[1:]
print("ran in job", os.environ.get("SLURM_JOB_ID"))
counts = {}
with open(items, newline="", encoding="utf-8") as file:
    for row in csv.DictReader(file):
        counts[row["item"]] = 1 / int(k)
users = set()
with open(train, newline="", encoding="utf-8") as file:
    for row in csv.DictReader(file):
        users.add(row["user"])
        counts[row["item"]] += 1
with open(scores, "w", encoding="utf-8") as file:
    file.write("user,item,score\\n")
    for user in sorted(users):
        file.writelines(f"{user},{item},{count}\\n" for item, count in counts.items())
"""


@pytest.fixture
def cluster(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[None]:
    """Run Slurm, with job accounting if the test requests it."""
    need_slurm()
    with slurm(tmp_path / "slurm", accounts=getattr(request, "param", False)):
        yield


def test_a_cluster_without_accounts_gives_the_same_bytes_in_few_jobs(
    cluster: None, finished_once: Workspace, workspace: Workspace
) -> None:
    workspace.recsens("run", "tiny", *SLURM)
    assert workspace.differs_from(finished_once.results()) == {}
    assert {state for _, state, _ in jobs()} == {"COMPLETED"}
    assert 3 <= len(jobs()) <= 6


@pytest.mark.trial
@pytest.mark.parametrize("cluster", [True], indirect=True)
def test_a_cancelled_job_is_sent_again_on_a_cluster_with_accounts(
    cluster: None, finished_once: Workspace, workspace: Workspace
) -> None:
    run = start(workspace)
    wait_for(lambda: [state for _, state, _ in jobs()] == ["RUNNING"])
    said_by("scancel", jobs()[0][0])
    assert run.wait(timeout=300) == 0
    assert workspace.differs_from(finished_once.results()) == {}
    assert [state for _, state, _ in jobs()].count("CANCELLED") == 1
    assert "CANCELLED" in said_by("sacct", "--noheader", "--allocations", "--format=State")


@pytest.mark.trial
def test_a_job_that_runs_out_of_memory_is_sent_again_with_more(cluster: None, workspace: Workspace) -> None:
    lab = workspace.root / "lab"
    lab.mkdir()
    (lab / "greedy.py").write_text(GREEDY, encoding="utf-8")
    systems = {"Greedy": "greedy.Greedy", "Popularity": "popularity"}
    workspace.write_study("greedy", systems=systems, plugins=["lab"])
    workspace.recsens("run", "greedy", *SLURM)
    logs = (workspace.root / ".snakemake" / "slurm_logs").rglob("*.log")
    assert "exceeded memory limit" in "".join(log.read_text(encoding="utf-8") for log in logs)
    tries = [state for _, state, purpose in jobs() if "fit" in purpose]
    assert tries[0] in {"OUT_OF_MEMORY", "FAILED"}
    assert tries[1:] == ["COMPLETED"]
    assert [state for _, state, purpose in jobs() if "fit" not in purpose] == ["COMPLETED"] * 4
    there = workspace.results()
    shutil.rmtree(workspace.root / "results")
    workspace.recsens("run", "greedy", "--cores", "2")
    assert workspace.differs_from(there) == {}


@pytest.mark.trial
@pytest.mark.parametrize("waits", [True, False], ids=["waiting", "running"])
def test_jobs_of_a_killed_submitter_are_cancelled_before_anything_is_written(
    cluster: None, finished_once: Workspace, workspace: Workspace, *, waits: bool
) -> None:
    if waits:
        said_by("sbatch", "--job-name=other", "--cpus-per-task=2", "--output=/dev/null", "--wrap=sleep 600")
    run = start(workspace)
    wait_for(lambda: any("rule" in purpose and state == ("PENDING" if waits else "RUNNING") for _, state, purpose in jobs()))
    for process in [*psutil.Process(run.pid).children(recursive=True), run]:
        process.send_signal(signal.SIGKILL)
    run.wait()

    done = workspace.recsens("run", "tiny", "--cores", "2")
    assert workspace.differs_from(finished_once.results()) == {}
    (left,) = (job for job in jobs() if "rule" in job[2])
    if waits:
        assert "cancelling 1 Slurm job" in done.stderr
        assert left[1] == "CANCELLED"
        assert [state for _, state, purpose in jobs() if "rule" not in purpose] == ["RUNNING"]
    else:
        assert left[1] in {"CANCELLED", "FAILED"}


def test_the_generic_profile_speaks_to_slurm(cluster: None, finished: Workspace) -> None:
    local = finished.results()
    for path in finished.root.glob("results/seed-0/**/positions.parquet"):
        path.unlink()
    finished.recsens("run", "tiny", "--profile", "generic", "--cores", "8")
    assert finished.differs_from(local) == {}
    # The rankings, and what depends on their costs.
    assert [state for _, state, _ in jobs()] in (["COMPLETED"], ["COMPLETED"] * 2)


def start(workspace: Workspace) -> subprocess.Popen[bytes]:
    """Run the tiny study in the background."""
    return subprocess.Popen(
        workspace.command("run", "tiny", *SLURM), cwd=workspace.root, env=workspace.environment(), stderr=subprocess.DEVNULL
    )


@pytest.mark.trial
def test_a_program_runs_on_a_node_and_its_fault_reaches_the_user(cluster: None, workspace: Workspace) -> None:
    program = workspace.root / "mine.py"
    program.write_text(PROGRAM, encoding="utf-8")
    run = f'run="{sys.executable} mine.py {{train}} {{items}} {{scores}} {{k}}",files=["mine.py"],memory=1,minutes=5'
    workspace.write_study("mine", systems={"Mine": f"program({run},k=1)", "Popularity": "popularity"})
    told = workspace.recsens("run", "mine", *SLURM)
    assert f"Mine: {sys.executable} mine.py {{train}}" in told.stderr
    logs = "".join(log.read_text(encoding="utf-8") for log in (workspace.root / ".snakemake" / "slurm_logs").rglob("*.log"))
    ran_in = re.findall(r"ran in job (\d+)", logs)
    assert set(ran_in) < {number for number, _, _ in jobs()}
    assert {state for _, state, _ in jobs()} == {"COMPLETED"}
    there = workspace.results()
    shutil.rmtree(workspace.root / "results")
    workspace.recsens("run", "mine", "--cores", "2")
    assert workspace.differs_from(there) == {}

    workspace.write_study("bad", systems={"Mine": f"program({run},k=0)", "Popularity": "popularity"})
    failed = workspace.recsens("run", "bad", *SLURM, check=False)
    assert failed.returncode != 0
    assert "the program ended with exit code 1; its last lines:" in failed.stderr
    assert "ZeroDivisionError" in failed.stderr
