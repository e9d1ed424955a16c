"""Files of LensKit, RecTools, RecBole, Elliot, WarpRec and RePlay are measured unchanged; ambiguous files are refused."""

import csv
import io
import json
import logging
import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import recsens
from approved import refusal
from recsens.cli import main
from recsens.data.inspection import Inspection
from recsens.errors import DataError, DesignError, RecsensError, SpecError
from recsens.recommenders.from_file import FromFile
from recsens.runs.evaluation import curve, evaluate
from recsens.seeds import Stream
from recsens.testing import from_rows

NATIVE = Path(__file__).parent / "native"
TEST = (["ann", "ann", "bob", "cid"], ["b", "c", "c", "a"], [5, 3, 4, 2])
LISTS = [("ann", "b", 0.9), ("ann", "d", 0.7), ("ann", "a", 0.2), ("bob", "a", 1.5), ("bob", "c", 0.5), ("cid", "d", 0.3)]
METRICS = ["RR", "nDCG@2", "P@1,2"]
OWN = evaluate(tuple(map(list, zip(*LISTS, strict=True))), TEST, METRICS).means


def lines(separator: str, header: str | None = None, rows=LISTS) -> str:
    told = [separator.join(map(str, row)) for row in rows]
    return "\n".join([*([] if header is None else [header.replace(",", separator)]), *told, ""])


FORMS = {
    "Elliot's recs/ItemKNN.tsv": lines("\t"),
    "WarpRec's recs/EASE.tsv": lines("\t", "user_id,item_id,rating"),
    "RePlay's frame": lines(",", "query_id,item_id,rating"),
    "recommenders' frame": lines(",", "userID,itemID,prediction"),
    "RecTools' frame": lines(",", "user_id,item_id,score"),
}


@pytest.mark.parametrize("name", FORMS)
def test_lists_of_a_framework_are_measured_as_they_are(tmp_path, name):
    path = tmp_path / "run"
    path.write_text(FORMS[name], encoding="utf-8")
    assert evaluate(path, TEST, METRICS).means == OWN


@pytest.mark.parametrize("layout", ["native", "flat"])
def test_both_layouts_of_lenskit_are_measured(layout):
    assert evaluate(NATIVE / f"lenskit-{layout}.parquet", TEST, METRICS).means == OWN
    assert evaluate(NATIVE / f"lenskit-{layout}.parquet", NATIVE / "lenskit-test-native.parquet", METRICS).means == OWN
    assert (
        evaluate(NATIVE / f"lenskit-{layout}.parquet", TEST, METRICS, rank_by="rank" if layout == "native" else None).means == OWN
    )


def test_judgements_of_a_framework_are_read_as_they_are(tmp_path):
    run = tuple(map(list, zip(*LISTS, strict=True)))
    assert evaluate(run, NATIVE / "recbole.inter", METRICS).means == OWN
    for name, header, rows in (
        ("WarpRec's split/test.tsv", "user_id,item_id,rating,timestamp", [(*row, 7) for row in zip(*TEST, strict=True)]),
        ("Elliot's test.tsv", None, list(zip(*TEST, strict=True))),
    ):
        path = tmp_path / "test.tsv"
        path.write_text(lines("\t", header, rows), encoding="utf-8")
        assert evaluate(run, path, METRICS).means == OWN, name


def test_judgements_without_ratings_are_all_relevant(tmp_path, caplog):
    path = tmp_path / "implicit.inter"
    path.write_text(lines("\t", "user_id:token,item_id:token", [row[:2] for row in zip(*TEST, strict=True)]), encoding="utf-8")
    run = tuple(map(list, zip(*LISTS, strict=True)))
    with caplog.at_level(logging.INFO):
        found = evaluate(run, path, METRICS)
    assert f"{path}: no rating column: every row counts as rated 1" in caplog.text
    assert found.means == evaluate(run, (*TEST[:2], [1.0] * 4), METRICS).means


def test_an_item_called_as_a_column_is_no_header(tmp_path):
    path = tmp_path / "run"
    path.write_text("u\ti\t0.9\nu\tmovie\t0.7\n", encoding="utf-8")
    assert evaluate(path, (["u"], ["movie"], [5]), ["RR"]).means == {"RR": 0.5}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Elliot's recs/ItemKNN.tsv", "no header: columns 1 to 3 read as user, item, score"),
        ("RePlay's frame", "columns read: 'query_id' as user, 'item_id' as item, 'rating' as score"),
    ],
)
def test_one_line_says_what_was_taken_for_what(tmp_path, caplog, name, said):
    path = tmp_path / "run"
    path.write_text(FORMS[name], encoding="utf-8")
    with caplog.at_level(logging.INFO):
        evaluate(path, TEST, METRICS)
    assert [record.getMessage() for record in caplog.records] == [f"{path}: {said}"]


def test_a_run_that_may_be_read_in_two_ways_is_refused_with_both(tmp_path, approved):
    cases = (
        "ann\tb\t1\nann\tc\t2\nbob\ta\t1\nbob\tb\t2\n",
        "ann\tb\t5\nann\tc\t3.5\nbob\ta\t4\n",
        "b\tann\t.9\nc\tann\t.8\nb\tbob\t.7\n",
        "user_id\titem_id\trating\nann\tb\t5\nann\tc\t3.5\n",
    )
    path, told = tmp_path / "run.tsv", {}
    for text in cases:
        path.write_text(text, encoding="utf-8")
        told[repr(text)] = refusal(partial(evaluate, path, TEST, METRICS), DataError)
    approved(told)


def test_lists_in_the_place_of_judgements_are_refused(tmp_path):
    path = tmp_path / "run.tsv"
    path.write_text(FORMS["Elliot's recs/ItemKNN.tsv"], encoding="utf-8")
    with pytest.raises(DataError, match="ratings of a test set, or scores of a run"):
        evaluate(path, path, METRICS)


@pytest.mark.parametrize(
    ("text", "columns", "rank_by"),
    [
        (lines(",", None, [(i, u, "x", s) for u, i, s in LISTS]), "item,user,-,score", None),
        (lines("\t", "who,what,est"), "user=who,item=what,score=est", None),
        # A header is skipped if columns are declared by their order.
        (lines("\t", "who,what,est"), "user,item,score", None),
        ("ann b 1\nann d 2\nann a 3\nbob a 1\nbob c 2\ncid d 1\n", "user,item,rank", "rank"),
        (
            lines("\t", "user_id,item_id,rating", [(u, i, 10 * s) for u, i, s in LISTS]),
            "user=user_id,item=item_id,score=rating",
            None,
        ),
    ],
)
def test_columns_are_told(tmp_path, text, columns, rank_by):
    path = tmp_path / "run"
    path.write_text(text, encoding="utf-8")
    assert evaluate(path, TEST, METRICS, columns=columns, rank_by=rank_by).means == OWN


@pytest.mark.parametrize("faulty", ["nan", "", "n/a", "12..5"])
def test_a_faulty_first_row_is_no_header(tmp_path, faulty):
    path = tmp_path / "run"
    path.write_text(lines(",", f"ann,c,{faulty}"), encoding="utf-8")
    with pytest.raises(DataError, match=f"run:1: '{faulty}' is neither a number nor a common name") as found:
        evaluate(path, TEST, METRICS, columns="user,item,score")
    assert f"if it is a header, give the columns by name: user=ann,item=c,score={faulty or '...'}" in str(found.value)


def test_columns_of_runs_and_of_judgements_are_told_apart(tmp_path):
    run, qrels = tmp_path / "run", tmp_path / "qrels"
    run.write_text(lines("\t"), encoding="utf-8")
    qrels.write_text(lines("\t", None, [(r, u, i, 9) for u, i, r in zip(*TEST, strict=True)]), encoding="utf-8")
    assert evaluate(run, qrels, METRICS, columns=["user,item,score", "rating,user,item,-"]).means == OWN


def test_columns_of_parquet_are_told():
    told = "user=user_id,item=item_id,score=score"
    assert evaluate(NATIVE / "lenskit-flat.parquet", TEST, METRICS, columns=told).means == OWN
    assert evaluate(NATIVE / "lenskit-flat.parquet", TEST, METRICS, columns="user,item,score,-").means == OWN


def test_columns_that_cannot_be_are_refused(tmp_path, approved):
    cases = (
        "user,item,sore",
        "user,user,score",
        "user,item=what,score",
        "user,item",
        ["user,item,score", "item,user,score"],
        "user,score",
    )
    path = tmp_path / "run"
    path.write_text(lines("\t"), encoding="utf-8")
    told = {str(each): refusal(partial(evaluate, path, TEST, METRICS, columns=each), SpecError) for each in cases}
    approved(told)


# Several systems and folds in one file

RECTOOLS = {
    ("0", "pop"): {"NDCG@3": 0.382680318494, "Precision@3": 0.388888888889, "MAP@3": 0.453703703704, "MRR@3": 0.5},
    ("0", "random"): {"NDCG@3": 0.323092908674, "Precision@3": 0.333333333333, "MAP@3": 0.342592592593, "MRR@3": 0.527777777778},
    ("1", "pop"): {"NDCG@3": 0.4, "Precision@3": 0.4, "MAP@3": 0.475, "MRR@3": 0.6},
    ("1", "random"): {"NDCG@3": 0.246927872602, "Precision@3": 0.266666666667, "MAP@3": 0.3, "MRR@3": 0.433333333333},
}
"""What RecTools' calc_metrics returned for each fold and model."""


def command(*words: str | Path) -> str:
    done = CliRunner().invoke(main, ["evaluate", *map(str, words)], catch_exceptions=False)
    return done.stdout if done.exit_code == 0 else done.stderr


FRAMES = (NATIVE / "rectools.csv", NATIVE / "rectools-test.csv", "--convention", "rectools")
ASKED = [word for metric in RECTOOLS["0", "pop"] for word in ("-m", metric)]


def test_each_model_and_fold_of_rectools_has_its_own_value_and_folds_are_averaged():
    rows = list(csv.DictReader(io.StringIO(command(*FRAMES, *ASKED, "--fold", "each", "--format", "csv"))))
    found = {(row["fold"], row["run"], row["metric"]): float(row["mean"]) for row in rows}
    for (fold, model), values in RECTOOLS.items():
        for metric, value in values.items():
            assert found[fold, model, metric] == pytest.approx(value, abs=1e-11)
            of_both = [found[each, model, metric] for each in ("0", "1")]
            assert found["mean", model, metric] == pytest.approx(sum(of_both) / 2, abs=1e-15)
    assert len(found) == 3 * 2 * len(ASKED) / 2


def test_one_fold_is_measured_with_its_own_judgements():
    said = json.loads(command(*FRAMES, *ASKED, "--fold", "1", "--format", "json"))
    assert {run["run"]: run["means"] for run in said["runs"]} == {
        model: pytest.approx(RECTOOLS["1", model], abs=1e-11) for model in ("pop", "random")
    }
    assert "comparisons" in said["runs"][1]


def test_folds_are_printed_one_by_one_with_their_means():
    said = command(*FRAMES, "-m", "MRR@3", "--fold", "each")
    assert said.count("metric (rectools)") == 3
    assert said.index("fold 0:") < said.index("fold 1:") < said.index("means over 2 folds:")
    assert said.split()[-3:] == ["MRR@3", ".550", ".481"]
    assert json.loads(command(*FRAMES, "-m", "MRR@3", "--fold", "each", "--format", "json"))["mean"]["pop"] == {"MRR@3": 0.55}
    assert command(*FRAMES, "-m", "MRR@3", "--fold", "each", "--format", "latex").count(r"\begin{tabular}{") == 3


def test_folds_are_refused_unless_it_is_said_what_to_do_with_them(tmp_path):
    assert "there are 2 folds: 0, 1" in command(*FRAMES)
    assert "there is no fold '3'" in command(*FRAMES, "--fold", "3")
    assert "no file has a fold column" in command(NATIVE / "lenskit-flat.parquet", NATIVE / "recbole.inter", "--fold", "0")
    assert "each fold needs its own train set" in command(*FRAMES, "--fold", "each", "--train", NATIVE / "recbole.inter")
    test = tmp_path / "test.csv"
    test.write_text("user_id,item_id\nann,i4\ngus,i5\n", encoding="utf-8")
    said = command(NATIVE / "rectools.csv", test, "--fold", "each")
    assert "no fold column in the judgements: each fold would be measured with the ratings of all folds" in said


def in_folds(path: str, value: str, *rows: str) -> None:
    Path(path).write_text("\n".join([f"user,item,{value},fold", *rows, ""]), encoding="utf-8")


def test_a_file_of_one_fold_is_measured_by_the_judgements_of_no_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    in_folds("run.csv", "score", "ann,b,1,0")
    in_folds("runs.csv", "score", "ann,b,1,0", "ann,b,1,1")
    in_folds("test.csv", "rating", "ann,b,5,0", "ann,b,4,1")
    in_folds("test1.csv", "rating", "ann,b,4,1")
    in_folds("test0.csv", "rating", "ann,b,5,0")
    assert "run.csv: has no fold '1'\n  allowed: 0" in command("run.csv", "test.csv", "-m", "RR", "--fold", "1")
    assert "test1.csv: has no fold '0'" in command("runs.csv", "test1.csv", "-m", "RR", "--fold", "0")
    assert "the files have no fold in common: 0 in run; 1 in the judgements" in command("run.csv", "test1.csv", "-m", "RR")
    assert "there are 2 folds" in command("run.csv", "test.csv", "-m", "RR")
    # Files with a single fold need no choice, but it is allowed.
    assert "1.000" in command("run.csv", "test0.csv", "-m", "RR")
    assert "1.000" in command("run.csv", "test0.csv", "-m", "RR", "--fold", "0")


def test_a_train_set_in_folds_takes_out_the_pairs_of_the_fold_that_is_measured(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    in_folds("run.csv", "score", "a,x,3,0", "a,y,2,0", "a,w,1,0", "b,z,3,0", "a,y,3,1", "a,x,2,1", "a,w,1,1", "b,x,3,1")
    in_folds("test.csv", "rating", "a,x,5,0", "b,z,5,0", "a,y,5,1", "b,x,5,1")
    in_folds("train.csv", "rating", "a,y,5,0", "b,x,5,0", "a,x,5,1", "b,z,5,1")
    in_folds("train1.csv", "rating", "a,x,5,1")
    Path("plain.csv").write_text("user,item,rating\na,x,5\n", encoding="utf-8")
    asked = ("run.csv", "test.csv", "-m", "RR", "--format", "json")
    said = json.loads(command(*asked, "--fold", "0", "--train", "train.csv"))
    assert said["runs"][0]["means"] == {"RR": 1.0}
    assert "1 scores of train pairs are left out" in said["runs"][0]["notes"]
    assert json.loads(command(*asked, "--fold", "each", "--train", "train.csv"))["mean"] == {"run": {"RR": 1.0}}
    assert "train1.csv: has no fold '0'" in command(*asked, "--fold", "0", "--train", "train1.csv")
    assert "train1.csv: has no fold '0'" in command(*asked, "--fold", "0", "--train", "plain.csv", "--validation", "train1.csv")
    Path("plain-run.csv").write_text("user,item,score\na,x,5\n", encoding="utf-8")
    assert "there are 2 folds: 0, 1" in command("plain-run.csv", "plain.csv", "-m", "RR", "--train", "train.csv")


def test_folds_are_those_of_their_rows_below_a_header_whose_columns_are_told_in_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    in_folds("run.csv", "score", "ann,b,1,0", "ann,c,1,1")
    in_folds("test.csv", "rating", "ann,b,5,0", "ann,b,4,1")
    told = ("--columns", "user,item,score,fold", "--columns", "user,item,rating,fold")
    for fold, value in (("0", 1.0), ("1", 0.0)):
        said = json.loads(command("run.csv", "test.csv", "-m", "RR", "--fold", fold, *told, "--format", "json"))
        assert said["runs"][0]["means"] == {"RR": value}


def test_each_system_of_a_collection_of_lenskit_is_a_run():
    said = json.loads(command(NATIVE / "lenskit-models-native.parquet", NATIVE / "recbole.inter", "-m", "RR", "--format", "json"))
    assert [run["run"] for run in said["runs"]] == ["x", "y"]
    assert said["runs"][0]["means"]["RR"] == OWN["RR"]
    both = command(NATIVE / "lenskit-models-native.parquet", NATIVE / "lenskit-flat.parquet", NATIVE / "recbole.inter", "-m", "RR")
    assert both.splitlines()[0].split()[2:5] == ["lenskit-models-native/x", "lenskit-models-native/y", "p"]


def test_systems_of_two_files_that_would_have_one_name_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for path in ("A.csv", "A/N.csv", "x/N.csv"):
        Path(path).parent.mkdir(exist_ok=True)
        Path(path).write_text("user,item,score\nann,b,1\n", encoding="utf-8")
    Path("A.csv").write_text("user,item,score,model\nann,b,1,M\nann,c,1,N\n", encoding="utf-8")
    Path("test.csv").write_text("user,item,rating\nann,b,5\n", encoding="utf-8")
    assert "are both called 'A/N'" in command("A.csv", "A/N.csv", "x/N.csv", "test.csv", "-m", "RR")


def test_a_call_measures_the_fold_that_the_command_measures(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = pd.read_csv(NATIVE / "rectools.csv", dtype=str).assign(score=lambda frame: frame["score"].astype(float))
    own = rows[rows["model"] == "pop"]
    own.to_csv("pop.csv", index=False)
    judged = pd.read_csv(NATIVE / "rectools-test.csv").astype({"user_id": str, "item_id": str})
    asked: dict[str, Any] = {"metrics": list(RECTOOLS["0", "pop"]), "convention": "rectools"}
    for fold in ("0", 1):
        expected = pytest.approx(RECTOOLS[str(fold), "pop"], abs=1e-11)
        assert evaluate("pop.csv", NATIVE / "rectools-test.csv", **asked, fold=fold).means == expected
        assert recsens.evaluate(own, judged, **asked, fold=fold).means == expected
        assert recsens.evaluate("pop.csv", judged, **asked, fold=fold).means == expected
        # One fold's rows need no choice.
        assert recsens.evaluate(own[own["i_split"] == str(fold)], judged[judged["i_split"] == int(fold)], **asked).means == expected
    own[own["i_split"] == "1"].to_csv("own.csv", index=False)
    judged[judged["i_split"] == 1].to_csv("judged.csv", index=False)
    chosen = curve("pop.csv", NATIVE / "rectools-test.csv", fold="1", relevance=1)
    pd.testing.assert_frame_equal(chosen, curve("own.csv", "judged.csv", relevance=1))


def test_a_call_refuses_folds_and_systems_with_the_errors_of_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    in_folds("run.csv", "score", "ann,b,1,0", "ann,c,1,1")
    in_folds("test.csv", "rating", "ann,b,5,0", "ann,b,4,1")
    in_folds("train.csv", "rating", "ann,c,5,0", "ann,d,4,1")
    with pytest.raises(DesignError, match='fold="each": a call measures only one fold'):
        evaluate("run.csv", "test.csv", ["RR"], fold="each")
    Path("plain.csv").write_text("user,item,rating\nann,b,5\n", encoding="utf-8")
    Path("plain-run.csv").write_text("user,item,score\nann,b,5\n", encoding="utf-8")
    run, test, train, plain, plain_run = (pd.read_csv(f"{name}.csv") for name in ("run", "test", "train", "plain", "plain-run"))
    for called in (evaluate, recsens.evaluate):
        for scores, judged, fold, told in (
            (run, test, None, "there are 2 folds: 0, 1"),
            (run, plain, None, "there are 2 folds: 0, 1"),
            (plain_run, test, None, "there are 2 folds: 0, 1"),
            (run, test, "2", "there is no fold '2'"),
            (plain_run, plain, "0", "no file has a fold column"),
            (run[:1], test[1:], None, "the files have no fold in common: 0 in the run; 1 in the judgements"),
            (run, plain, "each", "no fold column in the judgements"),
        ):
            with pytest.raises(RecsensError, match=re.escape(told)):
                called(scores, judged, ["RR"], fold=fold)
        with pytest.raises(DataError, match="there are 2 folds: 0, 1"):
            called("plain-run.csv", "plain.csv", ["RR"], train="train.csv")
        with pytest.raises(DataError, match="there are 2 folds: 0, 1"):
            called(plain_run, plain, ["RR"], train=train)
        assert called(run, test, ["RR"], train=train, fold=0).notes == ("0 scores of train pairs are left out",)
        models = pd.concat([run.assign(model="a"), run.assign(model="b")])
        if called is recsens.evaluate:
            assert list(called(models, test, ["RR"], fold="0")) == ["a", "b"]
        else:
            with pytest.raises(DataError, match="the run contains 2 systems: a, b") as found:
                called(models, test, ["RR"], fold="0")
            assert "keep the rows of one" in str(found.value)
        assert called(models[:1], test[:1], ["RR"]).means == {"RR": 1.0}
        with pytest.raises(DataError, match="the folds are of type double"):
            called(run.assign(fold=[0.5, None]), test, ["RR"], fold="0")


# Data sets and scores of studies


@pytest.mark.parametrize("name", ["recbole.inter", "lenskit-test-native.parquet"])
def test_a_native_file_is_a_data_set(name, monkeypatch):
    monkeypatch.chdir(NATIVE)
    found = Inspection.of(name)
    assert len(found.table) == 4
    assert (found.scale.lowest, found.scale.highest) == (1, 5)
    assert found.component.plugin_name() == ("parquet" if name.endswith("parquet") else "delimited")


def test_scores_of_a_study_are_read_from_native_files(tmp_path):
    elliot = tmp_path / "lists.tsv"
    elliot.write_text(FORMS["Elliot's recs/ItemKNN.tsv"], encoding="utf-8")
    names = {"user_ids": np.array(["ann", "bob", "cid"], dtype=np.object_), "item_ids": np.array(list("abcd"), dtype=np.object_)}
    train = replace(from_rows([[None, None, 5, None], [None, 4, None, None], [3, None, None, None]]), **names)
    for path in (elliot, NATIVE / "lenskit-native.parquet"):
        scores = FromFile(path=str(path)).on_fold("repeat-0").fit(train, Stream(0)).score(train, np.arange(train.n_users))
        found = {
            (*(train.user_ids[u], train.item_ids[i]), scores[u, i]) for u, i in zip(*np.nonzero(~np.isnan(scores)), strict=True)
        }
        assert found == set(LISTS), path
