"""Output folders of WarpRec, Elliot and the exporter are read as their files; a folder with two readings is refused with both."""

import json
import logging
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import recsens
from recsens.cli import main
from recsens.errors import DataError, DesignError
from score_files.written import write

TEST = "ann\tb\t5\nbob\tc\t4\n"
TRAIN = "ann\ta\t5\nbob\ta\t4\n"
LISTS = "ann\tb\t0.9\nann\td\t0.7\nbob\td\t1.5\nbob\tc\t0.5\n"
HEADER = "user_id\titem_id\trating\n"
EARLY, LATE = "25.11.2026_10-00-00", "26.11.2026_11-30-00"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def put(path: str, text: str = "") -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")


def warprec(*names: str, folder: str = "out/ml", validation: bool = False) -> None:
    for name in names:
        put(f"{folder}/recs/{name}.tsv", HEADER + LISTS)
    sets = {"train": TRAIN, "test": TEST, **({"validation": "ann\td\t4\n"} if validation else {})}
    for name, text in sets.items():
        put(f"{folder}/split/{name}.tsv", HEADER + text)
    put(f"{folder}/split/1/train.tsv", HEADER + TRAIN)
    put(f"{folder}/evaluation/Overall_Results_{LATE}.tsv", "Model\tTop@k\n")


def elliot(*names: str, folder: str = "results/ml") -> None:
    for name in names:
        put(f"{folder}/recs/{name}.tsv", LISTS)
    put(f"{folder}/performance/rec_cutoff_10.tsv", "model\tnDCG\n")


def scores(folder: str = "exports", *, validation: bool) -> None:
    for name, text in {"train": TRAIN, "test": TEST, **({"validation": "ann\td\t4\n"} if validation else {})}.items():
        put(f"{folder}/{name}.csv", "user,item,rating\n" + text.replace("\t", ","))
    write(f"{folder}/model.npz", "dense", users=["ann", "bob"], items=list("abcd"), scores=np.array([[9, 2, 1, 3], [9, 1, 2, 3.0]]))


def command(*words: str) -> str:
    done = CliRunner().invoke(main, ["evaluate", *words, "-m", "RR", "-m", "P@1"], catch_exceptions=False)
    return done.stdout if done.exit_code == 0 else done.stderr


def means(*words: str) -> dict[str, dict[str, float]]:
    return {run["run"]: run["means"] for run in json.loads(command(*words, "--format", "json"))["runs"]}


def test_a_folder_of_warprec_is_its_lists_by_its_test_set(caplog):
    warprec(f"EASE_{LATE}", f"ItemKNN_{LATE}", validation=True)
    expected = {f"{name}_{LATE}": {"RR": 0.75, "P@1": 0.5} for name in ("EASE", "ItemKNN")}
    with caplog.at_level(logging.INFO):
        assert means("out/ml") == expected
    told = f"out/ml: taken as runs recs/EASE_{LATE}.tsv, recs/ItemKNN_{LATE}.tsv; judgements split/test.tsv"
    assert told in caplog.messages
    # By other judgements, or beside another run.
    put("test.tsv", HEADER + TEST)
    put("own.tsv", LISTS)
    assert means("out/ml", "test.tsv") == expected
    assert means("own.tsv", "out/ml", "test.tsv") == {"own": expected[f"EASE_{LATE}"], **expected}


def test_results_of_elliot_take_a_test_set_as_file_or_as_elliots_split(caplog):
    elliot("EASE_neighbors=10", "Pop-it:3")
    put("splits/0/test.tsv", TEST)
    put("splits/0/0/train.tsv", "ann\ta\t5\nann\tc\t3\nbob\ta\t4\n")
    put("splits/0/0/val.tsv", "bob\td\t4\n")
    expected = {"EASE_neighbors=10": {"RR": 0.75, "P@1": 0.5}, "Pop-it:3": {"RR": 0.75, "P@1": 0.5}}
    assert means("results/ml", "splits/0/test.tsv") == expected
    with caplog.at_level(logging.INFO):
        assert means("results/ml", "splits") == means("results/ml", "splits/0") == expected
    assert "splits: taken as judgements 0/test.tsv" in caplog.messages
    # A user may want other candidates than those of Elliot, which ranks the pairs of validation.
    sets = ("--train", "splits/0/0/train.tsv", "--validation", "splits/0/0/val.tsv")
    assert means("results/ml", "splits", *sets) == {name: {"RR": 1.0, "P@1": 1.0} for name in expected}


def test_a_folder_of_the_exporter_is_scores_without_the_pairs_of_train(caplog):
    scores(validation=False)
    with caplog.at_level(logging.INFO):
        assert means("exports") == {"model": {"RR": 0.5, "P@1": 0.0}}
    assert "exports: taken as runs model.npz; judgements test.csv; train train.csv" in caplog.messages
    assert means("exports/model.npz", "exports/test.csv", "--train", "exports/train.csv") == means("exports")


def test_whether_validation_pairs_of_scores_are_ranked_must_be_said():
    scores(validation=True)
    said = command("exports")
    assert "a validation set: some programs rank its pairs, others do not" in said
    assert "its pairs are ranked: --train exports/train.csv; they are not: --validation exports/validation.csv" in said
    assert means("exports", "--train", "exports/train.csv") == {"model": {"RR": 0.5, "P@1": 0.0}}
    assert means("exports", "--validation", "exports/validation.csv") == {"model": {"RR": 0.75, "P@1": 0.5}}


def test_a_split_in_the_names_of_recbole_measures_scores():
    scores(validation=False)
    for part, text in {"train": TRAIN, "test": TEST}.items():
        put(f"dataset/ml/ml.{part}.inter", "user_id:token\titem_id:token\trating:float\n" + text)
    put("dataset/ml/ml.item", "item_id:token\n")
    assert means("exports/model.npz", "dataset/ml") == {"model": {"RR": 0.5, "P@1": 0.0}}


def test_each_fold_of_a_folder_is_measured_by_its_own_sets():
    for fold, test in (("fold0", TEST), ("fold-1", "ann\tb\t5\nbob\td\t4\n")):
        put(f"cv/{fold}/test.tsv", HEADER + test)
        put(f"cv/{fold}/lists.tsv", LISTS)
    said = json.loads(command("cv", "--fold", "each", "--format", "json"))
    assert [each["runs"][0]["means"]["RR"] for each in said["folds"].values()] == [0.75, 1.0]
    assert said["mean"] == {"lists": {"RR": 0.875, "P@1": 0.75}}
    assert means("cv", "--fold", "1") == {"lists": {"RR": 1.0, "P@1": 1.0}}
    assert "there are 2 folds: fold 0, fold 1" in command("cv")
    assert "there is no fold '7'" in command("cv", "--fold", "7")


def test_what_may_be_meant_in_two_ways_or_is_no_output_is_refused(approved):
    cases = (
        ["twice"],
        ["it", "test.tsv"],
        ["results/ml"],
        ["results/ml", "out/ml"],
        ["results/ml", "folds"],
        ["results/ml", "inner"],
        ["results/ml", "two"],
        ["folds/0", "test.tsv"],
        ["folds/0"],
        ["saved"],
        ["more"],
        ["seeds"],
        ["empty"],
        ["test.tsv"],
    )
    warprec(f"EASE_{LATE}")
    warprec(f"EASE_{EARLY}", f"EASE_{LATE}", folder="twice")
    elliot("EASE")
    elliot("BPRMF-it:5", "BPRMF-it:10", "Pop", folder="it")
    for fold in "01":
        put(f"folds/{fold}/test.tsv", TEST)
        put(f"folds/{fold}/train.tsv", TRAIN)
        put(f"inner/0/{fold}/train.tsv", TRAIN)
    put("inner/0/test.tsv", TEST)
    put("two/test.tsv", TEST)
    put("two/test.csv", TEST)
    for name in ("lastfm", "ml"):
        warprec("EASE", "Pop", folder=f"more/{name}")
    put("seeds/test.tsv", TEST)
    for seed in "12":
        put(f"seeds/seed{seed}/A.tsv", LISTS)
    put("saved/BPR-Nov-26-2026.pth")
    put("test.tsv", HEADER + TEST)
    Path("empty").mkdir()
    approved({" ".join(words): command(*words) for words in cases})


def analysed(*words: str) -> str:
    done = CliRunner().invoke(main, ["meta", "sparsity(samples=2)", *words, "-m", "RR", "-m", "P@1"], catch_exceptions=False)
    return done.stdout if done.exit_code == 0 else done.stderr


def test_metrics_are_judged_by_the_runs_of_a_folder_as_by_its_files(caplog):
    warprec(f"EASE_{LATE}", f"ItemKNN_{LATE}")
    files = [word for name in ("EASE", "ItemKNN") for word in ("--run", f"out/ml/recs/{name}_{LATE}.tsv")]
    by_files = analysed(*files, "--qrels", "out/ml/split/test.tsv")
    assert "with 2 systems and 2 users" in by_files
    with caplog.at_level(logging.INFO):
        assert analysed("--run", "out/ml") == by_files
    assert any("out/ml: taken as runs recs/EASE" in message for message in caplog.messages)
    assert analysed("--run", "out/ml", "--qrels", "out/ml/split/test.tsv") == by_files
    elliot("EASE", "ItemKNN")
    put("test.tsv", HEADER + TEST)
    assert analysed("--run", "results/ml", "--qrels", "test.tsv") == by_files
    assert "add the test set" in analysed("--run", "results/ml")
    put("more.tsv", HEADER + LISTS)
    assert "no test set is given" in analysed("--run", "more.tsv")
    scores(validation=False)
    put("again/b.csv", "user,item,score\nann,b,2\nbob,c,3\n")
    assert "with 2 systems" in analysed("--run", "again/b.csv", "--run", "exports/model.npz", "--qrels", "exports/test.csv")


def test_python_reads_the_folders_that_the_command_reads():
    warprec(f"EASE_{LATE}", f"ItemKNN_{LATE}")
    expected = means("out/ml")
    both = recsens.evaluate("out/ml", metrics=["RR", "P@1"])
    assert {name: dict(each.means) for name, each in both.items()} == expected
    assert repr(both).startswith(f"Evaluations of 2 runs: EASE_{LATE}, ItemKNN_{LATE}\n")
    compared = recsens.compare(*both.values())
    assert compared["difference"].tolist() == [0, 0]
    # A test set by itself, a file by the folder's test set, and what is not a file.
    assert recsens.evaluate(Path("out/ml"), Path("out/ml/split/test.tsv"), ["RR", "P@1"]).means.equals(both.means)
    one = f"out/ml/recs/EASE_{LATE}.tsv"
    put("split/test.tsv", HEADER + TEST)
    assert dict(recsens.evaluate(one, "split", ["RR", "P@1"]).means) == expected[f"EASE_{LATE}"]
    lists = {"ann": ["b", "d"], "bob": ["d", "c"]}
    assert dict(recsens.evaluate(lists, "split", ["RR", "P@1"]).means) == expected[f"EASE_{LATE}"]


def test_python_takes_the_train_set_of_a_folder_of_scores():
    scores(validation=False)
    assert dict(recsens.evaluate("exports", metrics=["RR", "P@1"]).means) == means("exports")["model"]
    rows = [
        "user,item,score",
        *(f"{user},{item},{score}" for user in ("ann", "bob") for item, score in zip("abcd", (9, 2, 1, 3), strict=True)),
    ]
    put("all.csv", "\n".join(rows))
    put("split/train.csv", "user,item,rating\n" + TRAIN.replace("\t", ","))
    put("split/test.csv", "user,item,rating\n" + TEST.replace("\t", ","))
    assert dict(recsens.evaluate("all.csv", "split", ["RR", "P@1"]).means) == means("all.csv", "split")["all"]


def test_python_refuses_what_the_command_refuses():
    scores(validation=True)
    with pytest.raises(DataError, match="scores with a validation set"):
        recsens.evaluate("exports", metrics=["RR"])
    chosen = recsens.evaluate("exports", metrics=["RR", "P@1"], validation="exports/validation.csv")
    assert dict(chosen.means) == means("exports", "--validation", "exports/validation.csv")["model"]
    with pytest.raises(DataError, match="no test set is given"):
        recsens.evaluate({"ann": ["b"]}, metrics=["RR"])
    elliot("EASE")
    with pytest.raises(DataError, match="a folder of runs without a test set"):
        recsens.evaluate("results/ml", metrics=["RR"])


FOLDS = "user,item,score,fold\nann,b,2,one\nann,d,1,one\nbob,d,2,two\nbob,c,1,two\n"
TESTS = "user,item,rating,fold\nann,b,5,one\nbob,c,4,two\n"


def test_python_measures_each_fold_as_the_command_does():
    put("a.csv", FOLDS)
    put("b.csv", FOLDS.replace("bob,d,2", "bob,d,0"))
    put("test.csv", TESTS)
    told = json.loads(command("a.csv", "test.csv", "--fold", "each", "--format", "json"))
    a, b = (recsens.evaluate(f"{name}.csv", "test.csv", ["RR", "P@1"], fold="each") for name in "ab")
    assert {fold: dict(each.means) for fold, each in a.items()} == {
        fold: one["runs"][0]["means"] for fold, one in told["folds"].items()
    }
    assert a.means.loc["mean"].to_dict() == told["mean"]["a"] == {"RR": 0.75, "P@1": 0.5}
    compared = recsens.compare(a, b)
    assert compared.index.names == ["fold", "metric"]
    assert compared.loc[("two", "RR"), "difference"] == -0.5
    frame, test = pd.read_csv("a.csv"), pd.read_csv("test.csv")
    assert recsens.evaluate(frame, test, ["RR", "P@1"], fold="each").means.equals(a.means)
    with pytest.raises(DesignError, match="the folds are one, two, and one"):
        recsens.compare(a, recsens.evaluate(frame[:2], test[:1], ["RR"], fold="each"))
    with pytest.raises(DataError, match="no file has a fold column"):
        recsens.evaluate({"ann": ["b"]}, {"ann": ["b"]}, ["RR"], fold="each")


def cv() -> None:
    for fold, test in (("fold0", TEST), ("fold-1", "ann\tb\t5\nbob\td\t4\n")):
        put(f"cv/{fold}/test.tsv", HEADER + test)
        put(f"cv/{fold}/A.tsv", LISTS)
        put(f"cv/{fold}/B.tsv", LISTS.replace("bob\tc\t0.5", "bob\tc\t2.5"))


def test_python_measures_each_fold_of_a_folder():
    cv()
    told = json.loads(command("cv", "--fold", "each", "--format", "json"))
    each = recsens.evaluate("cv", metrics=["RR", "P@1"], fold="each")
    assert list(told["folds"]) == ["0", "1"]
    for run, by_fold in each.items():
        assert by_fold.means.drop("mean").T.to_dict() == {fold: means("cv", "--fold", fold)[run] for fold in ("0", "1")}
        assert by_fold.means.loc["mean"].to_dict() == told["mean"][run]
    assert each.means.index.names == ["run", "fold"]
    assert recsens.compare(each["A"], each["B"]).loc[("0", "P@1"), "difference"] == -0.5
    assert dict(recsens.evaluate("cv", metrics=["RR", "P@1"], fold=1)["A"].means) == means("cv", "--fold", "1")["A"]
    with pytest.raises(DesignError, match="'a' has the evaluations of 2 runs: A, B"):
        recsens.compare(each, each)
    with pytest.raises(DataError, match="there are 2 folds: fold 0, fold 1"):
        recsens.evaluate("cv", metrics=["RR"])


def test_metrics_are_judged_on_each_fold_of_a_folder_or_of_a_column():
    cv()
    files = {fold: [f"cv/{fold}/{name}.tsv" for name in ("A", "B", "test")] for fold in ("fold0", "fold-1")}
    by_files = [analysed("--run", a, "--run", b, "--qrels", test) for a, b, test in files.values()]
    assert analysed("--run", "cv", "--fold", "0") == by_files[0]
    each = analysed("--run", "cv", "--fold", "each")
    assert each == "\n".join(f"fold {fold}:\n{one}" for fold, one in enumerate(by_files))
    table = analysed("--run", "cv", "--fold", "each", "--format", "csv").splitlines()
    alone = analysed("--run", "cv", "--fold", "1", "--format", "csv").splitlines()
    assert [line.removeprefix("1,") for line in table if line.startswith("1,")] == alone[1:]
    assert "there are 2 folds" in analysed("--run", "cv")
    put("a.csv", FOLDS)
    put("b.csv", FOLDS.replace("bob,d,2", "bob,d,0"))
    put("test.csv", TESTS)
    columns = ("--run", "a.csv", "--run", "b.csv", "--qrels", "test.csv")
    assert analysed(*columns, "--fold", "each").startswith("fold one:\nsparsity(samples=2) with 2 systems and 1 users")
    assert "there are 2 folds: one, two" in analysed(*columns)
