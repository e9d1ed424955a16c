"""A clock that goes backwards, between runs and in the middle of them, changes no result and makes nothing anew."""

import shutil
import subprocess
import time
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from recsens.workflow.jobs import planned_jobs
from recsens.workflow.plan import Plan
from workspaces import Workspace

pytestmark = [pytest.mark.workflow, pytest.mark.slow]


def test_runs_whose_clock_goes_backwards_all_the_time_end_with_the_same_bytes(
    finished: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = finished.results()
    monkeypatch.chdir(finished.root)
    rng = np.random.default_rng(0)
    files = [path for job in planned_jobs(Plan("tiny")) for path in job.files_written]
    clock, days = tmp_path / "clock", count()
    environment = {**finished.environment(), **clock_from(clock)}
    for _ in range(2):
        for path in rng.choice(files, size=len(files) // 3, replace=False):
            Path(path).unlink()
        clock.write_text("-0d")
        run = subprocess.Popen(finished.command("run", "tiny", "--cores", "2"), env=environment)
        while run.poll() is None:
            set_back(clock, next(days))
            time.sleep(0.5)
        assert run.returncode == 0
    assert finished.results() == before
    assert "Nothing to do" in finished.recsens("run", "tiny").stdout


def clock_from(file: Path) -> dict[str, str]:
    """Return the environment of programs whose clock a file sets; the times of files stay those of the machine."""
    faketime = shutil.which("faketime")
    if faketime is None:
        pytest.skip("no faketime; it is in Debian's package of that name")
    library = subprocess.run([faketime, "now", "printenv", "LD_PRELOAD"], capture_output=True, text=True, check=True).stdout.strip()
    read_always = {"FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1"}
    return {"LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": str(file), **read_always}


def set_back(clock: Path, days: int) -> None:
    """Set a clock back by some days, at one stroke."""
    beside = clock.with_suffix(".new")
    beside.write_text(f"-{days}d")
    beside.replace(clock)
