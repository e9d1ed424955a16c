"""Predicted ratings outside the scale: counted fold by fold, and reported next to the errors."""

from pathlib import Path

import pytest
import yaml

from recsens.artefacts import schemas, storage
from recsens.artefacts.addresses import Address
from recsens.artefacts.filesets import PositionFiles
from recsens.conclusions.design_space import base_designs
from recsens.conclusions.verdicts.study_tables import read_table
from recsens.report.page_content import render
from recsens.report.tables.of_dataset import outside_the_scale, result_table
from recsens.workflow.ask import Ask
from recsens.workflow.plan import Plan
from recsens.workflow.steps.describe_predictions import describe_predictions

SCORES = {("Alpha-1M", "repeat-0", "kNN"): [4.5, 5.5, None, 0.25], ("Alpha-1M", "repeat-1", "kNN"): [6.0, 3.0]}
SCORES |= {("Alpha-1M", "repeat-0", "MF"): [5.0, 1.0], ("Beta_2", "repeat-0", "MF"): [None]}


@pytest.fixture
def predictions(tmp_path):
    """The table of two systems on two data sets, as the step writes it."""
    record = tmp_path / "dataset.json"
    storage.write_json(record, {"scale": {"lowest": 1, "highest": 5, "step": 1}}, schemas.DATASET)
    paths = []
    for nth, scores in enumerate(SCORES.values()):
        n = len(scores)
        columns = {"user": [0] * n, "item": range(n), "rating": [3.0] * n, "score": scores, "position": range(1, n + 1)}
        paths.append(str(tmp_path / f"{nth}.parquet"))
        storage.write_table(paths[-1], schemas.POSITIONS, {**columns, "above": [0] * n, "tied": [0] * n, "state": [0] * n})
    out = tmp_path / "predictions.csv"
    rankings = [PositionFiles(path, "", str(record)) for path in paths]
    describe_predictions(rankings=rankings, predictions=str(out), labels=list(SCORES))
    return read_table(out, "predictions")


def test_every_fold_is_counted_for_itself(predictions):
    numbers = predictions[["predictions", "outside", "lowest", "highest"]].astype(float)
    assert numbers.iloc[:3].to_numpy().tolist() == [[3, 2, 0.25, 5.5], [2, 1, 3, 6], [2, 0, 1, 5]]
    assert predictions["predictions"].iloc[3] == 0
    assert predictions["lowest"].isna().tolist() == [False, False, False, True]


def test_folds_are_told_together_and_only_what_is_outside(predictions):
    told = outside_the_scale(predictions, "Alpha-1M").replace("\N{NO-BREAK SPACE}", " ")
    share = "60.0 % of the 5 predictions of kNN (lowest .250, highest 6.000)"
    unchanged = "Metrics of error use these predictions unchanged."
    assert told == f"Some predictions are outside the scale of 1 to 5: {share}. {unchanged}"
    assert not outside_the_scale(predictions, "Beta_2")
    assert not outside_the_scale(predictions.iloc[:0], "Alpha-1M")


def test_few_are_not_told_as_none(predictions):
    many = predictions.assign(predictions=10_000.0)
    assert "under 0.1\N{NO-BREAK SPACE}% of the 20,000 predictions of kNN" in outside_the_scale(
        many.assign(outside=1.0), "Alpha-1M"
    )


def test_the_note_stands_below_the_scores_of_a_study_that_measures_errors(make_study, make_results, predictions, study, printed):
    errors = make_study(metrics=["P@10", "RMSE"], published=[], published_comparisons=[])
    found = make_results(errors)
    found = found.with_tables(predictions=predictions)
    note = outside_the_scale(predictions, "Alpha-1M")
    shown = [table for table in printed(errors, found) if note in table.notes]
    assert [table.key for table in shown] == ["scores-alpha-1m"]
    assert note.replace("\N{NO-BREAK SPACE}", " ") in render(
        errors, found, name="x", designs=base_designs(errors.own), figures={}
    ).replace("\N{NO-BREAK SPACE}", " ").replace("&nbsp;", " ")
    other = make_results(study)
    assert note not in result_table(study.own, other.summary, other.verdicts, "Alpha-1M", predictions=predictions).notes


def test_only_a_study_that_measures_predictions_has_the_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = {
        "title": "t",
        "datasets": {"S": "simulated(users=60,items=80,ratings=1200)"},
        "systems": {"A": "average_rating", "B": "average_rating(damping=5.0)"},
        "metrics": ["P@5", "RMSE"],
        "design": {"repeats": 2},
        "vary": {"view": ["condensed"]},
    }
    path = tmp_path / "study.yaml"
    path.write_text(yaml.safe_dump(asked, sort_keys=False), encoding="utf-8")
    ask = Ask(Plan(str(path)))
    assert f"{ask.plan.folder}/predictions.csv" in ask.arguments("study")["further_tables"]
    assert ask.arguments("describe_predictions")["labels"] == [
        ("S", f"repeat-{fold}", system) for system in "AB" for fold in (0, 1)
    ]
    positions, users, records = (ask.arguments("describe_predictions")["rankings"][start::3] for start in range(3))
    systems = [Address.parse(path).step("recommender") for path in positions]
    assert systems == ["average_rating"] * 2 + ["average_rating@damping=5"] * 2
    assert [Path(path).parent for path in positions] == [Path(path).parent for path in users]
    assert all(record.endswith("/dataset.json") for record in records)
    path.write_text(yaml.safe_dump({**asked, "metrics": ["P@5"]}, sort_keys=False), encoding="utf-8")
    assert Ask(Plan(str(path))).arguments("study")["further_tables"] == []
