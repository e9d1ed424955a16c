"""A study with tuned systems, from the record of every candidate to the report."""

import csv
from functools import cache
from pathlib import Path

import pytest

from in_process import call, compute, to_do
from recsens.workflow import code_digests
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
    code_digests.forget()
    assert planned["tune"] == planned["fit"] == 1
    assert not {"ingest", "filter", "split", "check_targets"} & set(planned)


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))
