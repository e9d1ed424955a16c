"""However often a run is killed or interrupted, and whenever, the next run completes the results with the same bytes."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import psutil
import pytest

from recsens.workflow.leftovers import leftovers
from recsens.workflow.lock import marked
from recsens.workflow.plan import Plan
from recsens.workflow.planned_jobs import planned_jobs
from workspaces import Workspace

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

ENDS = 6
"""How often each run is ended: once in each sixth of its jobs."""

Kill = Callable[[subprocess.Popen[bytes], np.random.Generator], None]


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.trial) for seed in (1, 2, 3))])
def test_a_run_killed_five_times_and_asked_to_end_is_finished_to_the_same_bytes_on_one_core_and_on_two(
    finished_once: Workspace, workspace: Workspace, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.chdir(workspace.root)
    rng = np.random.default_rng(seed)
    firsts = [Path(job.files_written[0]) for job in planned_jobs(Plan("tiny"))]
    kinds: list[Kill] = [kill_the_run, kill_snakemake, kill_everything, kill_one_process, kill_one_process, ask_to_end]
    for part, kind in enumerate(rng.permutation(ENDS)):
        n_made = int((part + rng.random()) / ENDS * len(firsts))
        with Path("said").open("w") as said:
            run = subprocess.Popen(
                workspace.command("run", "tiny", "--cores", str(1 + part % 2)),
                env=workspace.environment(),
                stderr=said,
                process_group=0,
            )
        while sum(path.exists() for path in firsts) < n_made:
            assert run.poll() is None
            time.sleep(0.02)
        time.sleep(rng.random() / 2)
        assert run.poll() is None
        kinds[kind](run, rng)
        # A run whose job was killed finishes what does not depend on it.
        assert run.wait(timeout=600) != 0 or kinds[kind] is kill_one_process

    workspace.recsens("run", "tiny", "--cores", "1")
    workspace.recsens("verify", "tiny", "--sweep")
    assert workspace.differs_from(finished_once.results()) == {}
    assert leftovers(Path("results")) == []
    assert list(Path(".snakemake").glob("locks/*")) == []
    assert [process for process in psutil.process_iter() if works_here(process)] == []


def kill_the_run(run: subprocess.Popen[bytes], _: np.random.Generator) -> None:
    """Kill the process group of a run: Snakemake and its jobs, in groups of their own, end with it."""
    started = psutil.Process(run.pid).children(recursive=True)
    os.killpg(run.pid, signal.SIGKILL)
    _, left = psutil.wait_procs(started, timeout=60)
    assert left == []


def kill_snakemake(run: subprocess.Popen[bytes], _: np.random.Generator) -> None:
    """Kill the process group of Snakemake; its jobs may go on. Before it has begun, the run itself is killed."""
    children = psutil.Process(run.pid).children()
    os.killpg(children[0].pid if children else run.pid, signal.SIGKILL)


def kill_everything(run: subprocess.Popen[bytes], _: np.random.Generator) -> None:
    """Kill a run and everything that it has started, as in a power failure."""
    for process in [psutil.Process(run.pid), *psutil.Process(run.pid).children(recursive=True)]:
        with suppress(psutil.NoSuchProcess):  # it may have ended by itself since it was listed
            process.kill()


def kill_one_process(run: subprocess.Popen[bytes], rng: np.random.Generator) -> None:
    """Kill any process of a run, as when memory runs out: Snakemake, the process that starts jobs, a job, or its child."""
    started = sorted(process.pid for process, writer in marked() if writer.process == run.pid)
    with suppress(ProcessLookupError):
        os.kill(int(rng.choice(started)) if started else run.pid, signal.SIGKILL)


def ask_to_end(run: subprocess.Popen[bytes], _: np.random.Generator) -> None:
    """Ask a run to end once it has started Snakemake; it prints one sentence, and leaves no folder locked."""
    while not any(map(is_snakemake, psutil.Process(run.pid).children())):
        time.sleep(0.02)
    run.send_signal(signal.SIGTERM)
    assert run.wait(timeout=600) == 128 + signal.SIGTERM
    said = Path("said").read_text(encoding="utf-8")
    assert re.search(r"^stopped; run again: finished results stay, and only the rest is computed\n\Z", said, re.MULTILINE)
    assert not re.search("Traceback|Error", said)
    assert list(Path(".snakemake").glob("locks/*")) == []


def is_snakemake(process: psutil.Process) -> bool:
    try:
        return "snakemake" in process.cmdline()
    except psutil.Error:
        return False


def works_here(process: psutil.Process) -> bool:
    """Whether a process other than this one works in this folder."""
    try:
        return process.pid != os.getpid() and Path(process.cwd()) == Path.cwd()
    except psutil.Error:
        return False
