"""If a disk fills up at any moment or is read-only, the message names it and the remedy; the next run gives the same bytes."""

import re
from pathlib import Path

import pytest

from faults.mounts import within_mounts
from workspaces import Workspace

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

SHARES = (0.4,), (0.1, 0.4, 0.6, 0.8)
"""Sizes of disks too small for the tiny study, as shares of what its results need: a single disk, or several in turn."""


@pytest.mark.parametrize("shares", [SHARES[0], pytest.param(SHARES[1], marks=pytest.mark.trial)], ids=["once", "often"])
def test_a_disk_that_fills_up_at_any_moment_is_named_and_the_next_run_goes_on(
    finished_once: Workspace, workspace: Workspace, tmp_path: Path, shares: tuple[float, ...]
) -> None:
    needed = sum(1 + path.stat().st_size // 4096 for path in (finished_once.root / "results").rglob("*") if path.is_file())
    (workspace.root / "results").mkdir()
    script = ["mount -t tmpfs -o size=4k none results"]
    for size in (int(share * needed) for share in shares):
        script += [
            f"mount -o remount,size={size * 4}k results",
            f"recsens run tiny --cores 2 2> {tmp_path}/said-{size} && exit 1",
        ]
    script += ["mount -o remount,size=1g results", "recsens run tiny --cores 2", f"cp -r results {tmp_path}/results"]
    done = within_mounts(workspace, script)
    assert done.returncode == 0, done.stderr
    for said in (path.read_text() for path in tmp_path.glob("said-*")):
        assert "No space left on device" in said
        assert "free some space" in said
        assert str(workspace.root / "results") in said or "results/" in said
        assert "Traceback" not in said.rpartition("the workflow stopped")[2]
    assert Workspace(tmp_path).differs_from(finished_once.results()) == {}


def test_results_that_cannot_be_written_are_named_and_a_run_that_can_writes_the_same_bytes(finished: Workspace) -> None:
    before = finished.results()
    [missing] = (finished.root / "results").glob("seed-0/**/user_knn*/**/positions.parquet")
    missing.unlink()
    read_only = ["mount --bind results/seed-0 results/seed-0", "mount -o remount,ro,bind results/seed-0"]
    refused = within_mounts(finished, [*read_only, "recsens run tiny --cores 2"])
    assert refused.returncode == 1
    assert re.search(rf"{finished.root}/results/seed-0/\S+: .*: it is read-only, or someone else's\n  what to do: ", refused.stderr)
    finished.recsens("run", "tiny", "--cores", "2")
    assert finished.differs_from(before) == {}
