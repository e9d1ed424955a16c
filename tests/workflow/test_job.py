"""Jobs: the files of a rule reach the step as the named tuples that it expects."""

import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from recsens.artefacts.filesets import InteractionFiles, PositionFiles
from recsens.seeds import Origin
from recsens.workflow.job import Job, note_reason, reason_in

DATA = ["interactions.parquet", "user_ids.parquet", "item_ids.parquet", "dataset.json"]


@pytest.fixture
def called(monkeypatch) -> dict[str, Any]:
    """What the step was called with."""
    found: dict[str, Any] = {}

    def fit(
        *, data: InteractionFiles, rankings: Sequence[PositionFiles] = (), cutoffs: Sequence[int] = (), model: str, origin: Origin
    ) -> None:
        found.update(data=data, rankings=rankings, cutoffs=cutoffs, model=model, origin=origin)

    monkeypatch.setitem(sys.modules, "recsens.workflow.steps.fit", SimpleNamespace(fit=fit))
    # The statements of files are tested in test_job_inputs.
    monkeypatch.setattr("recsens.workflow.job_inputs.digests_of", lambda paths: dict.fromkeys(paths, ""))
    return found


def test_files_that_belong_together_reach_the_step_as_one(called):
    origin = {"seed": 3, "identity": "tiny", "fold": "repeat-0"}
    files = {"data": DATA, "rankings": ["p0", "u0", "d0", "p1", "u1", "d1"]}
    params = {"origin": origin, "cutoffs": [5, 10], "code": "0a1b", "plugins": ()}
    Job("fit", log="", inputs=files, outputs={"model": "model.npz"}, params=params).call()
    assert called == {
        "data": InteractionFiles(*DATA),
        "rankings": [PositionFiles("p0", "u0", "d0"), PositionFiles("p1", "u1", "d1")],
        "cutoffs": [5, 10],
        "model": "model.npz",
        "origin": Origin(3, "tiny", "repeat-0"),
    }


def test_a_rule_and_a_step_that_do_not_fit_together_fail(called):
    with pytest.raises(TypeError, match="dataset"):
        Job(
            "fit", log="", inputs={"data": DATA[:3]}, outputs={"model": "m"}, params={"origin": {"seed": 1, "identity": "x"}}
        ).call()
    assert not called


@pytest.mark.parametrize("reason", ["a.csv:3: no user", "a.csv: no user\n  allowed: ann\n  what to do: add it", "one\n\ntwo"])
def test_why_a_job_failed_is_read_back_from_its_log(tmp_path: Path, reason: str):
    log = tmp_path / "fit.log"
    assert reason_in(log) is None
    log.write_text("INFO recsens: begun\nERROR recsens.workflow.job: refused: x\n", encoding="utf-8")
    assert reason_in(log) is None
    for each in ("another, of a try before", reason):
        note_reason(log, each)
    assert reason_in(log) == reason
    with log.open("a", encoding="utf-8") as lines:
        lines.write("what a process left behind still says\n")
    assert reason_in(log) == reason


def test_a_log_that_cannot_be_written_holds_up_nobody(tmp_path: Path):
    note_reason(tmp_path / "nowhere" / "fit.log", "no matter")
