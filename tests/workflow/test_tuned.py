"""A study with tuned systems, from the record of every candidate to the report."""

import csv
from contextlib import chdir
from functools import cache
from pathlib import Path

import pytest

from in_process import call, compute, to_do
from recsens.workflow import code_digests
from recsens.workflow.ask import systems as systems_asked
from recsens.workflow.plan import Plan
from recsens.workflow.planned_jobs import planned_jobs
from workspaces import Workspace

SYSTEMS = {
    "kNN": "user_knn(k=10)",
    # With one candidate, the choice is known, and the system is the one above.
    "Same": "tuned(of=user_knn,search=grid(k=[10]),metric=RBP@5)",
    "Popularity": "tuned(of=popularity,search=grid(of=[count,sum]),split=validation)",
}


@pytest.mark.slow
def test_tuned_systems_run_and_only_what_tunes_them_tunes_them_again(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace.write_study("tiny", systems=SYSTEMS, design={"split": "validated(of=random(ratio=0.6))"}, vary={})
    assert "2 tunings" in call(workspace.root, "check", "tiny").stdout
    compute(workspace.root, "tiny")
    study = workspace.root / "results/studies/tiny"
    values = {(row["system"], row["metric"]): row["value"] for row in rows_of(study / "summary.csv")}
    for metric in {metric for _, metric in values}:
        assert values["Same", metric] == values["kNN", metric] != values["Popularity", metric]
    found = rows_of(study / "tuning.csv")
    assert [(row["system"], row["chosen"]) for row in found] == [("Same", "True"), ("Popularity", "True"), ("Popularity", "False")]
    report = (study / "report.html").read_text(encoding="utf-8")
    assert 'id="tuning"' in report
    assert "Tuned on validation data: by nDCG@10 on the validation set of the split." in report
    assert 'download="tuning.csv"' in report
    assert not to_do(workspace.root, "tiny")

    # The study does not measure by this metric, and only one system was tuned by it.
    digest, edited = code_digests._digest, "recsens.metrics.rbp"
    monkeypatch.setattr(code_digests, "_digest", cache(lambda name: "edited" if name == edited else digest(name)))
    planned = to_do(workspace.root, "tiny")
    monkeypatch.undo()
    code_digests.forget_code()
    assert planned["tune"] == planned["fit"] == 1
    assert not {"ingest", "filter", "split", "check_targets"} & set(planned)


@pytest.mark.slow
def test_a_search_in_shards_gives_the_same_and_goes_on_where_it_was(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    systems = {"kNN": "user_knn", "Best": "tuned(of=item_knn,search=random(trials=6))"}
    workspace.write_study("tiny", systems=systems, vary={})
    monkeypatch.setattr(systems_asked, "_SHARE", 1)
    done = compute(workspace.root, "tiny")
    assert done["tune_shard"] == 7
    assert done["tune"] == 1
    (record,) = (workspace.root / "results").rglob("tuning.json")
    expected = record.read_bytes()
    assert not list((workspace.root / "results").rglob("*-of-7*"))
    # Whatever the number of shards, a finished search stays as it is.
    monkeypatch.undo()
    assert not to_do(workspace.root, "tiny")
    monkeypatch.setattr(systems_asked, "_SHARE", 1)
    record.unlink()
    with chdir(workspace.root):
        for job in [job for job in planned_jobs(Plan("tiny")) if job.step == "tune_shard"][:3]:
            job.call()
    assert to_do(workspace.root, "tiny")["tune_shard"] == 4
    assert compute(workspace.root, "tiny")["tune_shard"] == 4
    assert record.read_bytes() == expected


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))
