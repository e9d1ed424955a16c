"""The page of costs: joined records of jobs, means and maxima over folds, next to coverage."""

import json

import pandas as pd

from recsens.artefacts.costs import Costs
from recsens.report.tables.costs import Cost, cost_page, cost_table
from recsens.workflow.steps.costs import costs


def job(peak: float, **seconds: float) -> dict[str, object]:
    return {"seconds": seconds, "peak_mib": peak}


def test_the_jobs_of_a_system_are_joined():
    assert Cost.of("Alpha-1M", "kNN", "repeat-0", [job(300.0, rank=2.5), job(700.0, fit=1.5)]) == Cost(
        "Alpha-1M", "kNN", "repeat-0", fit_seconds=1.5, rank_seconds=2.5, peak_mib=700.0
    )


def test_times_are_means_over_folds_and_memory_is_the_largest(study, results):
    found = [
        Cost("Alpha-1M", system, f"repeat-{fold}", fit_seconds=fold + 0.5, rank_seconds=10 * fold + 1, peak_mib=500 + 1000 * fold)
        for system in study.systems
        for fold in (0, 1)
    ]
    table = cost_table(study.own, found, results.summary, "Alpha-1M")
    row = table.groups[0].rows[0]
    assert (row.label, *[cell.text for cell in row.cells[1:4]]) == ("kNN", "1.0", "6.0", "1,500")
    assert row.cells[0].text == "lab_plugins.Neighbours(k=100)"
    base = results.summary[results.summary["is_base"] & (results.summary["system"] == "kNN")].iloc[0]
    assert row.cells[4].text.startswith(f"{100 * base['user_coverage']:.1f}")


def test_where_ratings_have_rankings_their_coverage_is_shown(study, results):
    found = [Cost("Alpha-1M", system, "repeat-0", 1.0, 1.0, 1.0) for system in study.systems]
    summary = results.summary.assign(user_coverage=float("nan"), rating_coverage=0.41)
    table = cost_table(study.own, found, summary, "Alpha-1M")
    assert table.columns[-2] == "ratings ranked"
    assert table.groups[0].rows[0].cells[-2].text.startswith("41.0")


def test_the_time_of_tuning_is_shown_where_a_system_is_tuned(study, results):
    tuned = Cost.of("Alpha-1M", "kNN", "repeat-0", [job(300.0, rank=2.5), job(400.0, fit=1.5), job(900.0, tune=60.0)])
    assert (tuned.tune_seconds, tuned.peak_mib) == (60.0, 900.0)
    others = [Cost("Alpha-1M", system, "repeat-0", 1.0, 1.0, 1.0) for system in list(study.systems)[1:]]
    table = cost_table(study.own, [tuned, *others], results.summary, "Alpha-1M")
    assert table.columns[1:4] == ("tune, s", "fit, s", "rank, s")
    assert [row.cells[1].text for row in table.groups[0].rows] == ["60.0", *["–"] * len(others)]
    untuned = Cost("Alpha-1M", "kNN", "repeat-0", 1.0, 1.0, 1.0)
    assert "tune, s" not in cost_table(study.own, [untuned, *others], results.summary, "Alpha-1M").columns


def test_the_step_writes_a_table_and_a_page(study, study_content, files, tmp_path, monkeypatch):
    records, systems = [], []
    for label in study.datasets:
        for system in study.systems:
            for n, seconds in ((1, {"fit": 0.0, "rank": 1.0}), (2, {"rank": 1.0})):
                cost = Costs()
                cost.seconds = dict(seconds)
                cost.write(tmp_path / f"{len(records)}.json")
                records.append(str(tmp_path / f"{len(records)}.json"))
                if n == 2:
                    (tmp_path / "fit.json").write_text(json.dumps(job(9.0, fit=3.0)), encoding="utf-8")
                    records.append(str(tmp_path / "fit.json"))
                systems.append((label, system, f"repeat-{n - 1}", n))
    path = tmp_path / "study.yaml"
    path.write_text(json.dumps(study_content), encoding="utf-8")
    table, page = tmp_path / "costs.csv", tmp_path / "costs.html"
    costs(study=str(path), summary=str(files["summary"]), records=records, table=str(table), page=str(page), systems=systems)
    written = pd.read_csv(table)
    assert list(written["fit_seconds"][:2]) == [0.0, 3.0]
    assert (written["peak_mib"] > 1).all()
    assert "Beta_2: times, memory and coverage" in page.read_text(encoding="utf-8")


def test_what_a_study_says_is_escaped(make_study, results):
    study = make_study(title="<script>alert(1)</script>")
    found = [Cost(d, s, "repeat-0", 1.0, 1.0, 1.0) for d in study.datasets for s in study.systems]
    assert "<script>" not in cost_page(study, found, results.summary)
