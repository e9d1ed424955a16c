"""Damaged or exchanged files are named, however many there are, and a run recomputes them with the same bytes."""

import re
from pathlib import Path

import numpy as np
import pytest

from faults.readers import READERS, files_of
from faults.test_swaps import exchange
from in_process import call
from recsens.workflow import steps
from recsens.workflow.plan import Plan
from recsens.workflow.planned_jobs import planned_jobs
from workspaces import Workspace

pytestmark = [pytest.mark.workflow, pytest.mark.slow]


LEFT_OUT = {"rank_shard", "tune_shard", "describe_matches", "fit_program"}
"""Steps without a test here: those whose results are only parts of other results, and those for score files and programs."""


def test_the_study_whose_results_are_damaged_has_jobs_of_every_step(every_once: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(every_once.root)
    [folder] = steps.__path__
    assert {path.stem for path in Path(folder).glob("[a-z]*.py")} - LEFT_OUT == {job.step for job in planned_jobs(Plan("every"))}


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.trial)])
def test_one_file_of_every_kind_damaged_and_two_exchanged_at_once_are_named_and_made_anew_to_the_same_bytes(
    every: Workspace, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    before = every.results()
    monkeypatch.chdir(every.root)
    rng = np.random.default_rng(seed)
    exchanged = [path for split in (0.6, 0.7) for path in Path("results/seed-0").glob(f"simulated*/none/*{split}*/*/roles.parquet")]
    damaged = [rng.choice([path for path in files_of(pattern) if path not in exchanged]) for pattern in READERS]
    for path in damaged:
        content = bytearray(path.read_bytes())
        if rng.random() < 0.5:
            content[len(content) // 2] ^= 1 << int(rng.integers(8))
        else:
            del content[int(rng.integers(len(content))) :]
        path.write_bytes(content)

    exchange(*exchanged)

    told = call(every.root, "verify", "every").stdout
    named = [(state, Path(path)) for state, path in re.findall(r"^  (damaged|misplaced): (\S+): ", told, re.MULTILINE)]
    assert {path for state, path in named if state == "damaged"} == set(damaged)
    assert {path for state, path in named if state == "misplaced"} == set(exchanged)
    for path in damaged:
        path.unlink()
    every.recsens("run", "every", "--cores", "2")
    after = every.results()
    assert after.keys() == before.keys()
    assert [name for name in before if after[name] != before[name]] == []
