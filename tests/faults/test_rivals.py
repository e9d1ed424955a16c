"""If two runs start at once in one folder, one is refused; the other writes the results of a single run."""

import subprocess

import pytest

from workspaces import Workspace

pytestmark = [pytest.mark.workflow, pytest.mark.slow]


def test_of_two_runs_that_begin_at_once_one_is_refused_and_the_other_undisturbed(finished: Workspace) -> None:
    before = finished.results()
    for missing in ("seed-0/**/model.npz", "seed-0/**/positions.parquet", "studies/tiny/*.csv", "studies/tiny/figures/*.svg"):
        for path in (finished.root / "results").glob(missing):
            path.unlink()
    command = finished.command("run", "tiny", "--cores", "1")
    rivals = [
        subprocess.Popen(command, cwd=finished.root, env=finished.environment(), stderr=subprocess.PIPE, text=True) for _ in "12"
    ]
    said = [rival.communicate()[1] for rival in rivals]
    assert sorted(rival.returncode for rival in rivals) == [0, 1]
    [refused] = [text for rival, text in zip(rivals, said, strict=True) if rival.returncode]
    assert "another run is writing these results (process " in refused
    assert "what to do: wait until it ends, or end it; its finished results stay" in refused
    assert finished.differs_from(before) == {}
