"""A misbehaving plug-in affects only its own job, and is named. Once it is fixed, the results show no trace of it."""

import shutil
import subprocess
from pathlib import Path

import psutil
import pytest

from workspaces import DEFAULT_PROFILE, Workspace

pytestmark = [pytest.mark.workflow, pytest.mark.trial]

MENDED = """\
import os
import sys
import time
import numpy as np
from recsens.recommenders import Recommender


class Calm(Recommender):
    def fit(self, train, rng):
        self.misbehave()
        self._learned = {"n": train.item_counts.astype(float)}
        return self

    def score(self, train, users):
        return np.tile(self._learned["n"], (len(users), 1))

    def misbehave(self):
        pass

"""

WORST = {
    "Raising": "raise ValueError('no such luck')",
    "Exiting": "os._exit(3)",
    "Leaving": "sys.exit(0)",
    "Hanging": "time.sleep(600)",
    "Filling": "held = [np.zeros(1 << 25) for _ in range(10_000)]",
    "Straying": "os.fork() == 0 and (os.setsid(), os.fork() == 0 and time.sleep(600), os._exit(0))",
}
"""What each plug-in does during its fit. Memory is requested but not used, so that only the process reaches its limit."""

REASONS = {
    "Raising": "ValueError: no such luck",
    "Exiting": "its process ended with exit code 3 before the step was finished",
    "Leaving": "SystemExit: 0",
    "Hanging": "it exceeded the profile's time limit ('limit: 20 s'), and was ended",
    "Filling": "MemoryError",
}
"""The reasons for which some jobs fail; forking does no harm."""

MOST_MEMORY = 6_000_000
"""Limit of each process's address space in KiB; with its libraries, a job needs 2 million."""


def test_what_plug_ins_do_at_their_worst_is_named_and_leaves_no_trace_once_mended(workspace: Workspace, tmp_path: Path) -> None:
    (workspace.root / "lab").mkdir()
    profile = workspace.root / DEFAULT_PROFILE / "config.yaml"
    profile.write_text(f"{profile.read_text()}\nset-resources:\n  fit: {{limit: 20 s}}\n")
    workspace.write_study("guests", plugins=["lab"], systems={name: f"guests.{name}" for name in ("Calm", *WORST)}, vary={})
    orderly = Workspace(Path(shutil.copytree(workspace.root, tmp_path / "orderly")))

    write_guests(workspace, WORST)
    ended = limited_run(workspace)
    assert ended.returncode != 0
    said = ended.stderr.rpartition("the workflow stopped")[2]
    for reason in REASONS.values():
        assert reason in said
    assert sum(said.count(reason) for reason in REASONS.values()) == len(REASONS)
    ranked = {path.name for path in (workspace.root / "results").glob("seed-*/*/*/*/*/guests.*") if any(path.rglob("positions.*"))}
    assert ranked == {f"guests.{name}" for name in {"Calm", *WORST} - set(REASONS)}

    for each in (workspace, orderly):
        write_guests(each, dict.fromkeys(WORST, "pass"))
        assert limited_run(each).returncode == 0
    assert workspace.differs_from(orderly.results()) == {}
    assert [process for process in psutil.process_iter(["cwd"]) if process.info["cwd"] == str(workspace.root)] == []


def write_guests(workspace: Workspace, misdeeds: dict[str, str]) -> None:
    """Write the plug-ins, each with what it does."""
    classes = (f"class {name}(Calm):\n    def misbehave(self):\n        {deed}\n" for name, deed in misdeeds.items())
    (workspace.root / "lab/guests.py").write_text(MENDED + "\n\n".join(classes), encoding="utf-8")


def limited_run(workspace: Workspace) -> subprocess.CompletedProcess[str]:
    """Run the study with a memory limit for each process, to protect the machine."""
    command = ["sh", "-c", f'ulimit -v {MOST_MEMORY} && exec "$0" "$@"', *workspace.command("run", "guests", "--cores", "2")]
    return subprocess.run(command, cwd=workspace.root, env=workspace.environment(), capture_output=True, text=True, check=False)
