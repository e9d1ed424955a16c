"""A clock that is set back from run to run changes no result."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from recsens.workflow.plan import Plan
from recsens.workflow.planned_jobs import planned_jobs
from workspaces import Workspace

pytestmark = [pytest.mark.workflow, pytest.mark.trial]


def test_runs_whose_clock_goes_backwards_end_with_the_same_bytes(
    finished: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = finished.results()
    monkeypatch.chdir(finished.root)
    rng = np.random.default_rng(0)
    files = [path for job in planned_jobs(Plan("tiny")) for path in job.files_written]
    clock = tmp_path / "clock"
    environment = {**finished.environment(), **clock_from(clock)}
    for days in (1, 4000):
        for path in rng.choice(files, size=len(files) // 3, replace=False):
            Path(path).unlink(missing_ok=True)
        clock.write_text(f"-{days}d")
        subprocess.run(finished.command("run", "tiny", "--cores", "2"), env=environment, check=True)
    assert finished.differs_from(before) == {}
    assert "Nothing to do" in finished.recsens("run", "tiny").stdout


def clock_from(file: Path) -> dict[str, str]:
    """Return an environment in which a file sets the clock of programs; file times still come from the machine's clock."""
    faketime = shutil.which("faketime")
    if faketime is None:
        pytest.skip("no faketime; it is in Debian's package of that name")
    library = subprocess.run([faketime, "now", "printenv", "LD_PRELOAD"], capture_output=True, text=True, check=True).stdout.strip()
    read_always = {"FAKETIME_NO_CACHE": "1", "NO_FAKE_STAT": "1"}
    return {"LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": str(file), **read_always}
