"""Whatever is damaged, and however much at once, is named, and a run makes it anew to the same bytes."""

import re
from pathlib import Path

import numpy as np
import pytest

from faults.readers import READERS, files_of
from recsens import steps
from recsens.workflow.plan import Plan
from recsens.workflow.planned_jobs import planned_jobs
from workspaces import Workspace

pytestmark = [pytest.mark.workflow, pytest.mark.slow]


LEFT_OUT = {"rank_shard", "describe_matches"}
"""Steps whose results are parts of others, and removed with these made; and of score files, which name no simulated user."""


def test_the_study_whose_results_are_damaged_has_jobs_of_every_step(every_once: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(every_once.root)
    [folder] = steps.__path__
    assert {path.stem for path in Path(folder).glob("[a-z]*.py")} - LEFT_OUT == {job.step for job in planned_jobs(Plan("every"))}


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.trial)])
def test_one_file_of_every_kind_damaged_at_once_is_named_and_made_anew_to_the_same_bytes(
    every: Workspace, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    before = every.results()
    monkeypatch.chdir(every.root)
    rng = np.random.default_rng(seed)
    damaged = {rng.choice(files_of(pattern)) for pattern in READERS}
    for path in damaged:
        content = bytearray(path.read_bytes())
        if rng.random() < 0.5:
            content[len(content) // 2] ^= 1 << int(rng.integers(8))
        else:
            del content[int(rng.integers(len(content))) :]
        path.write_bytes(content)

    told = every.recsens("verify", "every", check=False).stdout
    assert {Path(path) for path in re.findall(r"^  damaged: (\S+): ", told, re.MULTILINE)} == damaged
    for path in damaged:
        path.unlink()
    every.recsens("run", "every", "--cores", "2")
    after = every.results()
    assert after.keys() == before.keys()
    assert [name for name in before if after[name] != before[name]] == []
