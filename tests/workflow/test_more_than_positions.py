"""A study with metrics of lists, of predicted ratings, and of all users together."""

import csv
import math
from pathlib import Path

import pytest

from in_process import call, compute, to_do
from recsens.artefacts import schemas, storage
from recsens.artefacts.statements import making
from recsens.workflow.plan import Plan
from recsens.workflow.planned_jobs import planned_jobs
from recsens.workflow.staleness import compare_results
from workspaces import Workspace


def rows_of(workspace: Workspace, table: str) -> list[dict[str, str]]:
    with (workspace.root / f"results/studies/tiny/{table}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_lists_predictions_and_pooled_values_stand_beside_positions(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    systems = {"Average": "average_rating", "Damped": "average_rating(damping=5.0)"}
    metrics = ["P@5", "ILD@5", "Gini@5,100", "Serendipity@5", "uMAE", "MAE", "RMSE", "HLU", "CROC", "SDCSE@5"]
    workspace.write_study("tiny", systems=systems, metrics=metrics, design={"split": "random(ratio=0.5)", "repeats": 2})
    compute(workspace.root, "tiny")
    summary = rows_of(workspace, "summary")
    # Ten metrics, one at two cut-offs, of two systems, under the base design and condensed.
    assert len(summary) == 11 * 2 * 2
    values = {(row["metric_full"], row["system"], row["view"]): float(row["value"]) for row in summary}
    assert not any(map(math.isnan, values.values()))
    for system in systems:
        assert 0 < values["ILD(by=raters)@5", system, "full"] <= 1
        # Nearly the same items can be recommended to everybody, so few different items come first.
        assert values["Gini(form=sample)@5", system, "full"] > values["Gini(form=sample)@100", system, "full"] > 0
        assert values["RMSE(norm=none,ratings=all)", system, "full"] >= values["MAE(norm=none,ratings=all)", system, "full"] > 0
        assert values["MAE(norm=none,ratings=all)", system, "condensed"] == values["MAE(norm=none,ratings=all)", system, "full"]
        # Condensed, only judged items are left, and these differ between users.
        assert values["Gini(form=sample)@5", system, "condensed"] < values["Gini(form=sample)@5", system, "full"]
    # A ratio of sums or a pooled mean has a difference but no test; a metric per user has both.
    tests = [row for row in rows_of(workspace, "comparisons") if row["fold"] == "all"]
    for row in tests:
        is_pooled = row["metric"].partition("(")[0].partition("@")[0] in {"Gini", "MAE", "RMSE", "HLU", "CROC"}
        assert math.isfinite(float(row["difference"]))
        assert (row["p_value"] == "") == is_pooled
        assert (row["resampled_p"] == "") is False
    verdicts = {row["metric_full"]: row["verdict"] for row in rows_of(workspace, "verdicts")}
    assert verdicts["MAE(norm=none,ratings=all)"] == "undecided"
    # Mean ratings of items are within the scale, so the report has nothing to report.
    predicted = rows_of(workspace, "predictions")
    assert [(row["system"], row["fold"]) for row in predicted] == [(name, f"repeat-{fold}") for name in systems for fold in (0, 1)]
    assert all(int(row["predictions"]) > 0 == int(row["outside"]) for row in predicted)
    report = (workspace.root / "results/studies/tiny/report.html").read_text(encoding="utf-8")
    assert 'download="predictions.csv"' in report
    assert "outside the scale" not in report

    # Only metrics of lists read the lists: changing the lists does not affect the measures of positions.
    assert not to_do(workspace.root, "tiny")
    monkeypatch.chdir(workspace.root)
    for path in Path("results").rglob("lists-100.parquet"):
        _cut(path)
    stale = {Path(each.path).stem for each in compare_results(planned_jobs(Plan("tiny"))) if each.state == "stale"}
    assert {path.partition("@")[0] for path in stale} >= {"Gini", "ILD"}
    assert not {path for path in stale if path.startswith(("P@", "population")) or path == "P"}


def _cut(path: Path) -> None:
    """Remove the last row from the lists of a ranking, and let them state that the same job made them."""
    statement = storage.read_statement(path)
    assert statement is not None
    table = storage.read_table(path, schemas.LISTS)
    with making(statement.made):
        storage.write_table(path, schemas.LISTS, table.slice(0, len(table) - 1).to_pydict())


@pytest.mark.slow
def test_a_study_of_pooled_values_alone_has_a_report_without_a_winner(workspace: Workspace) -> None:
    design = {"split": "random(ratio=0.5)", "aggregate": "median"}
    workspace.write_study("tiny", metrics=["Gini@10", "CROC"], vary={"coverage": ["reduced"]}, design=design)
    compute(workspace.root, "tiny")
    assert {row["verdict"] for row in rows_of(workspace, "verdicts")} == {"undecided"}
    values = {(row["metric_full"], row["system"], row["value"]) for row in rows_of(workspace, "summary")}
    # Everybody is covered, and no aggregate changes these values.
    assert len(values) == 2 * 2
    assert "Gini" in (workspace.root / "results/studies/tiny/report.html").read_text()


def test_what_has_no_meaning_is_refused_before_any_job(workspace: Workspace, approved):
    cases = (
        {"metrics": ["MAE"]},
        {"metrics": ["ILD@5"], "design": {"targets": "one_r"}, "vary": {}},
        {"metrics": ["Gini@10"], "vary": {"aggregate": ["median"]}},
        {"metrics": ["Gini@101"]},
    )
    told = {}
    for changes in cases:
        workspace.write_study("tiny", **changes)
        refused = call(workspace.root, "run", "tiny")
        assert refused.exit_code != 0
        told[str(changes)] = refused.output
    assert not (workspace.root / "results").exists()
    approved(told)
