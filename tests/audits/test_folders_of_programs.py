"""Folders as eight programs write them are audited and evaluated unedited; broken ones are refused in a sentence."""

import csv
import io
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from recsens.cli import main
from recsens.errors import DataError
from recsens.inputs.foreign_results import ForeignResults
from recsens.runs.audits._material import write_runs, write_sets
from recsens.runs.evaluation import evaluate
from score_files.written import write

NATIVE = Path(__file__).parents[1] / "evaluation" / "native"
LISTS = [("ann", "b", 0.9), ("ann", "d", 0.7), ("ann", "a", 0.2), ("bob", "a", 1.5), ("bob", "c", 0.5), ("cid", "d", 0.3)]
OTHERS = [("ann", "c", 0.8), ("ann", "d", 0.1), ("bob", "d", 1.2), ("bob", "c", 0.9), ("cid", "a", 0.4), ("cid", "d", 0.2)]
TEST = [("ann", "b", 5), ("ann", "c", 3), ("bob", "c", 4), ("cid", "a", 2)]
TRAIN = [("ann", "e", 4), ("bob", "b", 3), ("cid", "e", 5)]
Rows = list[tuple[str, str, float]]


def put(path: Path, rows: Rows, header: str | None = None, separator: str = "\t", extra: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [] if header is None else [header.replace(",", separator)]
    lines += [separator.join([*map(str, row), *([extra] if extra else [])]) for row in rows]
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")


def sets(root: Path, ending: str, header: str | None, separator: str, extra: str = "", name: str = "{}") -> None:
    for part, rows in (("train", TRAIN), ("test", TEST)):
        put(root / f"{name.format(part)}{ending}", rows, header, separator, extra)


def warprec(root: Path) -> None:
    sets(root / "split", ".tsv", "user_id,item_id,rating,timestamp", "\t", "7")
    sets(root / "split/1", ".tsv", "user_id,item_id,rating,timestamp", "\t", "7", "{}ing")
    (root / "split/1/testing.tsv").rename(root / "split/1/validation.tsv")
    for name, rows in (("EASE", LISTS), ("Pop", OTHERS)):
        put(root / f"recs/{name}_26.11.2026_11-30-00.tsv", rows, "user_id,item_id,rating")
    put(root / "evaluation/Overall_Results_26.11.2026_11-30-00.tsv", [], "Model,Top@k,nDCG")
    (root / "config.json").write_text("{}", encoding="utf-8")


def elliot(root: Path) -> None:
    put(root / "splits/0/test.tsv", TEST)
    put(root / "splits/0/0/train.tsv", TRAIN)
    put(root / "results/ml/recs/BPRMF_seed=42_e=10_bs=512.tsv", LISTS)
    put(root / "results/ml/recs/ItemKNN_nn=40_sim=cosine.tsv", OTHERS)
    put(root / "results/ml/performance/rec_cutoff_10_relthreshold_0.tsv", [], "model,nDCG")


def recbole(root: Path) -> None:
    sets(root, ".inter", "user_id:token,item_id:token,rating:float", "\t", name="ml-100k.{}")
    for name, rows in (("BPR", LISTS), ("Pop", OTHERS)):
        dense(root / f"{name}.npz", rows)


def lenskit(root: Path, layout: str) -> None:
    shutil.copy(NATIVE / f"lenskit-{layout}.parquet", root / "ItemKNN.parquet")
    frame = pd.DataFrame(OTHERS, columns=["user_id", "item_id", "score"])
    frame.assign(rank=frame.groupby("user_id").cumcount() + 1).to_parquet(root / "Pop.parquet")
    shutil.copy(NATIVE / "lenskit-test-native.parquet", root / "test.parquet")
    pd.DataFrame(TRAIN, columns=["user_id", "item_id", "rating"]).to_parquet(root / "train.parquet")


def rectools(root: Path) -> None:
    sets(root, ".csv", "user_id,item_id,weight,datetime", ",", "2026-01-01")
    rows = [(*row, 1 + n, model) for model, run in (("knn", LISTS), ("pop", OTHERS)) for n, row in enumerate(run)]
    put(root / "recommendations.csv", rows, "user_id,item_id,score,rank,model", ",")


def replay(root: Path) -> None:
    sets(root, ".csv", "query_id,item_id,rating,timestamp", ",", "7")
    for name, rows in (("ALSWrap", LISTS), ("PopRec", OTHERS)):
        pd.DataFrame(rows, columns=["query_id", "item_id", "rating"]).to_parquet(root / f"{name}.parquet")


def dense(path: Path, rows: Rows) -> None:
    users, items = ["ann", "bob", "cid"], list("abcde")
    scores = np.full((3, 5), np.nan)
    for user, item, score in rows:
        scores[users.index(user), items.index(item)] = score
    write(path, "dense", users=users, items=items, scores=scores)


PROGRAMS: dict[str, Callable[[Path], None]] = {
    "WarpRec": warprec,
    "Elliot": elliot,
    "RecBole, with exported scores": recbole,
    "LensKit, native": lambda root: lenskit(root, "native"),
    "LensKit, flat": lambda root: lenskit(root, "flat"),
    "RecTools": rectools,
    "RePlay": replay,
}
"""What each program writes; the exporter's folders (Cornac, implicit, Surprise) are in tests/exporter."""


@pytest.fixture(params=PROGRAMS)
def written(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    root = tmp_path / "results"
    root.mkdir()
    PROGRAMS[request.param](root)
    return root


def test_an_audit_reads_the_sets_and_the_lists_of_a_program(written: Path, tmp_path: Path):
    [given] = ForeignResults.of_folder(written).values()
    folds = list(given.divided({}, rank_by="score").folds.values())
    found = write_sets(tmp_path, [fold.sets for fold in folds], {}, scale=None, relevance=None)
    runs = write_runs(tmp_path, folds, found, {}, "score")
    assert found.sizes == {"train": 3, "test": 4}
    read = {
        name: pd.read_parquet(tmp_path / run.path).astype({"user": str, "item": str}) for name, run in runs.items() if run.n_rows
    }
    assert len(runs) == 2
    assert [sorted(rows.itertuples(index=False, name=None)) for rows in read.values()] in ([sorted(LISTS), sorted(OTHERS)], [])


def test_an_evaluation_of_the_folder_has_the_values_of_the_lists(written: Path):
    done = CliRunner().invoke(
        main, ["evaluate", str(written), "-m", "RR", "-m", "nDCG@2", "--format", "csv"], catch_exceptions=False
    )
    assert done.exit_code == 0, done.output
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    # RecTools has weights instead of ratings, and they are read as such.
    test = tuple(map(list, zip(*TEST, strict=True)))
    for name, lists in zip(dict.fromkeys(row["run"] for row in rows), (LISTS, OTHERS), strict=True):
        means = evaluate(tuple(map(list, zip(*lists, strict=True))), test, ["RR", "nDCG@2"]).means
        assert {row["metric"]: float(row["mean"]) for row in rows if row["run"] == name} == pytest.approx(means)


def test_folds_that_a_column_names_are_divided(tmp_path: Path):
    for part, rows in (("train", TRAIN), ("test", TEST)):
        put(tmp_path / f"{part}.csv", [(*row, fold) for fold in "01" for row in rows], "user_id,item_id,rating,i_split", ",")
    runs = [(*row, model, fold) for fold in "01" for model, run in (("knn", LISTS), ("pop", OTHERS)) for row in run]
    put(tmp_path / "reco.csv", runs, "user_id,item_id,score,model,i_split", ",")
    [given] = ForeignResults.of_folder(tmp_path).values()
    folds = given.divided({}, rank_by="score").folds
    assert list(folds) == ["0", "1"]
    found = write_sets(tmp_path, [fold.sets for fold in folds.values()], {}, scale=None, relevance=None)
    runs_of = write_runs(tmp_path, list(folds.values()), found, {}, "score")
    assert {name: (run.path, run.n_rows) for name, run in runs_of.items()} == {
        "knn": ("data/run-knn-{fold}.parquet", 12),
        "pop": ("data/run-pop-{fold}.parquet", 12),
    }


def refused(root: Path) -> str:
    options = ("--to", str(root.parent / "audit"), "--no-page", "--least-matched", "0.5")
    done = CliRunner().invoke(main, ["audit", str(root), *options])
    assert done.exit_code == 1
    assert "Traceback" not in done.output
    return done.output


def lists(root: Path, *names: str) -> None:
    for name in names:
        put(root / f"{name}.csv", LISTS, "user,item,score", ",")


def start(root: Path) -> Path:
    (root / "results").mkdir()
    sets(root / "results", ".csv", "user,item,rating", ",")
    return root / "results"


def _no_test(root: Path) -> None:
    lists(root, "A", "B")
    (root / "test.csv").unlink()


def _no_train(root: Path) -> None:
    lists(root, "A", "B")
    (root / "train.csv").unlink()


def _a_table_of_results(root: Path) -> None:
    lists(root, "A")
    put(root / "results.csv", [], "model,nDCG", ",")


def _judged_ranks(root: Path) -> None:
    for part, rows in (("train", TRAIN), ("test", TEST)):
        put(root / f"{part}.csv", [(*row, fold) for fold in "01" for row in rows], "user,item,rating,fold", ",")
    put(root / "ranks.csv", [("ann", "b", 0)], "user,item,above,equal,candidates", ",", "0,3")


def _repeated(root: Path) -> None:
    lists(root, "A")
    put(root / "B.csv", [*LISTS, LISTS[0]], "user,item,score", ",")


def _two_ratings(root: Path) -> None:
    for fold, rating in (("fold0", 5), ("fold1", 1)):
        sets(root / fold, ".csv", "user,item,rating", ",")
        put(root / fold / "test.csv", [("ann", "b", rating), ("bob", "c", 5)], "user,item,rating", ",")
        lists(root / fold, "A", "B")
    for part in ("train", "test"):
        (root / f"{part}.csv").unlink()


def _two_times(root: Path) -> None:
    lists(root, "recs/EASE_26.11.2026_11-30-00", "recs/Pop_25.11.2026_10-00-00")


def _two_iterations(root: Path) -> None:
    lists(root, "recs/BPRMF-it:5", "recs/BPRMF-it:10", "recs/Pop")


def _one_run(root: Path) -> None:
    lists(root, "A")


def _other_names(root: Path) -> None:
    lists(root, "A")
    put(root / "B.csv", [(f"user {user}", item, score) for user, item, score in LISTS], "user,item,score", ",")


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (_no_test, "no file is the test set"),
        (_no_train, "no file is the train set"),
        (lambda root: None, "no file is a run"),
        (_one_run, "only one run is given: A"),
        (_a_table_of_results, "results.csv"),
        (_judged_ranks, "judged ranks cannot be divided by a column of folds"),
        (_repeated, "occurs again; first at"),
        (_two_ratings, "user 'ann' rates item 'b' 5 in one fold and 1 in another"),
        (_two_times, "the lists were written at 2 times"),
        (_two_iterations, "contains lists of 2 iterations of BPRMF"),
        (_other_names, "user"),
    ],
)
def test_a_broken_folder_is_refused_in_a_sentence(broken: Callable[[Path], None], said: str, tmp_path: Path):
    root = start(tmp_path)
    broken(root)
    assert said in refused(root)


def test_a_folder_of_several_data_sets_needs_the_sets_of_each(tmp_path: Path):
    for name in ("ml", "lastfm"):
        sets(tmp_path / name, ".csv", "user,item,rating", ",")
        lists(tmp_path / name, "A", "B")
    (tmp_path / "ml/train.csv").unlink()
    with pytest.raises(DataError, match="no file is the train set") as found:
        ForeignResults.of_folder(tmp_path)
    assert str(tmp_path / "ml") in str(found.value)


def test_a_train_set_in_the_form_of_judgements_is_a_train_set(tmp_path: Path):
    sets(tmp_path, ".qrels", None, " ")
    lists(tmp_path, "A", "B")
    [given] = ForeignResults.of_folder(tmp_path).values()
    [fold] = given.folds.values()
    assert fold.sets == {part: tmp_path / f"{part}.qrels" for part in ("train", "test")}
