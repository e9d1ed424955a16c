"""The table of overlaps: lists read, pairs compared fold by fold, means over folds shown."""

import pandas as pd
import pytest
import yaml

from recsens.artefacts import schemas, storage
from recsens.conclusions.verdicts.study_tables import read_table
from recsens.report.tables.coverage import overlap_tables
from recsens.vocabulary import LIST_DEPTH
from recsens.workflow.ask import Ask
from recsens.workflow.plan import Plan
from recsens.workflow.steps.overlap import overlap

LISTS = {"A": [[1, 2, 3], [4], []], "B": [[3, 2, 1], [5]], "C": [[1, 2, 3]]}


@pytest.fixture
def paths(tmp_path):
    for system, rows in LISTS.items():
        places = [(user, rank, item) for user, row in enumerate(rows) for rank, item in enumerate(row, start=1)]
        user, rank, item = zip(*places, strict=True)
        columns = {"user": user, "rank": rank, "item": item, "score": [None] * len(user)}
        storage.write_table(tmp_path / f"{system}.parquet", schemas.LISTS, columns)
    return [str(tmp_path / f"{system}.parquet") for system in LISTS]


def written(tmp_path, paths, groups):
    overlap(lists=paths, table=str(tmp_path / "overlap.csv"), groups=groups)
    return read_table(tmp_path / "overlap.csv", "overlap")


def test_every_pair_at_every_cutoff_over_the_users_of_both(tmp_path, paths):
    found = written(tmp_path, paths, [("X", "repeat-0", list(LISTS), [["A", "B"], ["A", "C"], ["B", "C"]], [1, LIST_DEPTH])])
    assert list(zip(found["system_a"], found["system_b"], found["cutoff"].astype(int), found["n_users"], strict=True)) == [
        *(("A", "B", 1, 2), ("A", "B", 100, 2)),
        *(("A", "C", 1, 1), ("A", "C", 100, 1)),
        *(("B", "C", 1, 1), ("B", "C", 100, 1)),
    ]
    assert found["overlap"].tolist() == [0, 0.5, 1, 1, 0, 1]
    assert found["jaccard"].tolist() == [0, 0.5, 1, 1, 0, 1]
    assert found["rbo"][2] == pytest.approx(1)


def test_folds_and_data_sets_have_lists_of_their_own(tmp_path, paths):
    pair = [["A", "B"]]
    groups = [("X", "repeat-0", ["A", "B"], pair, [3]), ("X", "repeat-1", ["A", "B"], pair, [3]), ("Y", "repeat-0", ["A"], [], [3])]
    found = written(tmp_path, [paths[0], paths[1], paths[0], paths[2], paths[0]], groups)
    assert found[["dataset", "fold", "overlap"]].to_numpy().tolist() == [["X", "repeat-0", 0.5], ["X", "repeat-1", 1.0]]
    (table,) = overlap_tables(found)
    assert (table.key, table.columns) == ("overlap-x", ("shared@3", "RBO@3", "users"))
    (row,) = table.groups[0].rows
    assert (row.label, row.cells[0].text, row.cells[2].text) == ("A and B", ".750", "2")


def test_without_lists_there_is_no_table(tmp_path):
    assert overlap_tables(written(tmp_path, [], [])) == []


def test_lists_are_asked_of_every_fold_of_a_base_design_that_has_any(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = {
        "title": "t",
        "datasets": {"S": "simulated(users=60,items=80,ratings=1200)"},
        "systems": {"R": "random", "P": "popularity", "A": "average_rating"},
        "compare": [["R", "P"]],
        "metrics": ["P@5", "AP", "nDCG@20"],
        "design": {"repeats": 2},
        "vary": {"targets": ["one_r"]},
        "experiments": {"One": {"dataset": "S", "design": {"targets": "one_r"}}},
    }
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(asked, sort_keys=False), encoding="utf-8")
    found = Ask(Plan(str(tmp_path / "study.yaml"))).arguments("overlap")
    pairs = [["R", "P"]]
    assert found["groups"] == [("S", f"repeat-{fold}", ["R", "P", "A"], pairs, [5, 20, LIST_DEPTH]) for fold in (0, 1)]
    assert [path.split("/")[-5] for path in found["lists"]] == ["random", "popularity", "average_rating"] * 2
    assert all("/ar/" in path and path.endswith("/lists-100.parquet") for path in found["lists"])


def test_nobody_with_both_lists_is_no_value(tmp_path, paths):
    empty = tmp_path / "empty.parquet"
    storage.write_table(empty, schemas.LISTS, {name: [] for name in schemas.LISTS.names})
    found = written(tmp_path, [paths[0], str(empty)], [("X", "repeat-0", ["A", "B"], [["A", "B"]], [10])])
    assert pd.isna(found["overlap"][0])
    assert found["n_users"][0] == 0
    assert overlap_tables(found)[0].groups[0].rows[0].cells[0].text == "–"
