"""What is recognised in a folder: sets, runs, folds, trainings and data sets; and what is refused because it is unclear."""

from functools import partial
from pathlib import Path

import pytest

from approved import refusal
from recsens.errors import DataError
from recsens.inputs.folders import DataSetFiles, RecognisedFolder, recognised


def folder(root: Path, *names: str) -> Path:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("", encoding="utf-8")
    return root


def only(found: RecognisedFolder) -> DataSetFiles:
    [data] = found.datasets
    return data


def files(found: RecognisedFolder, data: DataSetFiles | None = None) -> dict[str, tuple[dict[str, str], dict[str, list[str]]]]:
    """Return the sets and runs of each fold, as paths below the folder."""

    def below(path: Path) -> str:
        return path.relative_to(found.path).as_posix()

    folds = (data or only(found)).folds
    return {
        name: (
            {part: below(path) for part, path in fold.sets.items()},
            {run: list(map(below, paths)) for run, paths in fold.runs.items()},
        )
        for name, fold in folds.items()
    }


def both(*folds: str, name: str) -> list[str]:
    return [f"{fold}/{part}.{name}" for fold in folds for part in ("train", "test")]


def test_sets_are_recognised_by_a_word_of_their_name_and_all_others_are_runs(tmp_path: Path):
    found = files(recognised(folder(tmp_path, "train.csv", "ml.valid.tsv", "test.csv.gz", "kNN.csv", "MF.npz")))
    sets = {"train": "train.csv", "validation": "ml.valid.tsv", "test": "test.csv.gz"}
    assert found == {"": (sets, {"MF": ["MF.npz"], "kNN": ["kNN.csv"]})}


def test_the_folder_of_warprec_is_recognised_and_its_folds_for_tuning_are_not_read(tmp_path: Path):
    folder(tmp_path, "split/train.tsv", "split/validation.tsv", "split/test.tsv", "recs/A.tsv", "recs/B.tsv", "split/1/train.tsv")
    found = recognised(folder(tmp_path, "evaluation/overall.tsv", "performance/rec.tsv", "config.json", "params/A.json"))
    assert list(files(found)[""][1]) == ["A", "B"]
    assert len(found.ignored) == 5
    assert found.ignored[Path("split/1/train.tsv")] == "a fold within the train set"


def test_a_split_of_elliot_has_its_train_set_in_a_folder_below(tmp_path: Path):
    found = files(recognised(folder(tmp_path, "0/test.tsv", "0/0/train.tsv", "0/0/val.tsv", "1/test.tsv", "1/0/train.tsv")))
    assert found["fold 0"][0] == {"train": "0/0/train.tsv", "validation": "0/0/val.tsv", "test": "0/test.tsv"}
    assert found["fold 1"][0] == {"train": "1/0/train.tsv", "test": "1/test.tsv"}


def test_names_of_the_rows_of_dense_scores_are_no_run(tmp_path: Path):
    found = recognised(folder(tmp_path, "train.csv", "test.csv", "mf.npy", "mf.users.txt", "mf.items.txt"))
    assert files(found)[""][1] == {"mf": ["mf.npy"]}


def test_an_earlier_audit_below_the_folder_holds_no_runs(tmp_path: Path):
    found = recognised(
        folder(tmp_path, "train.csv", "test.csv", "A.csv", "audit/audit.yaml", "audit/summary.csv", "audit/data/run-a.parquet")
    )
    assert files(found)[""][1] == {"A": ["A.csv"]}
    assert found.ignored == {Path("audit"): "it is an earlier audit"}


def test_folds_are_recognised_in_folders_and_in_names(tmp_path: Path):
    folder(tmp_path, *both("fold0", "fold-1", name="csv"), "A_fold0.csv", "A_fold1.csv", "kNN/fold0.csv", "kNN/fold-1.csv")
    found = recognised(tmp_path)
    assert files(found) == {
        "fold 0": ({"train": "fold0/train.csv", "test": "fold0/test.csv"}, {"A": ["A_fold0.csv"], "kNN": ["kNN/fold0.csv"]}),
        "fold 1": ({"train": "fold-1/train.csv", "test": "fold-1/test.csv"}, {"A": ["A_fold1.csv"], "kNN": ["kNN/fold-1.csv"]}),
    }
    assert only(found).patterns["run A"] == "A_fold*.csv (2 files)"


def test_the_numbered_pairs_of_movielens_are_folds_in_the_order_of_their_numbers(tmp_path: Path):
    pairs = [f"u{fold}.{part}" for fold in (1, 2, 10) for part in ("base", "test")]
    runs = [f"A-fold{fold}.npz" for fold in (1, 2, 10)]
    found = files(recognised(folder(tmp_path, *pairs, *runs)))
    assert list(found) == ["fold 1", "fold 2", "fold 10"]
    assert found["fold 10"] == ({"train": "u10.base", "test": "u10.test"}, {"A": ["A-fold10.npz"]})


def test_seeds_of_runs_on_the_same_sets_are_trainings_and_seeds_of_sets_are_folds(tmp_path: Path):
    names = [f"seed={seed}/{run}.csv" for seed in (3, 1) for run in "AB"]
    data = only(recognised(folder(tmp_path / "one", "train.csv", "test.csv", *names)))
    assert data.trainings == ["seed 1", "seed 3"]
    assert [path.parent.name for path in data.folds[""].runs["A"]] == ["seed=1", "seed=3"]
    sets = both("seed=1", "seed=3", name="csv")
    data = only(recognised(folder(tmp_path / "two", *sets, *names)))
    assert (list(data.folds), data.trainings) == (["seed 1", "seed 3"], [""])


def test_a_number_that_is_the_same_everywhere_belongs_to_the_name(tmp_path: Path):
    found = files(recognised(folder(tmp_path, "train.tsv", "test.tsv", "recs/BPRMF_seed=42_e=10.tsv", "recs/ItemKNN_nn=4.tsv")))
    assert list(found[""][1]) == ["BPRMF_seed=42_e=10", "ItemKNN_nn=4"]


def test_folders_with_test_sets_side_by_side_are_data_sets(tmp_path: Path):
    one = ["ml-100k/train.csv", "ml-100k/test.csv", "lists/ml-100k/A.csv", "lists/ml-100k/B.csv"]
    other = [
        *both("ml-1m/split/fold0", "ml-1m/split/fold1", name="csv"),
        *(f"ml-1m/recs/{run}_fold{n}.csv" for run in "AB" for n in "01"),
    ]
    found = recognised(folder(tmp_path, *one, *other))
    assert [(each.name, len(each.folds)) for each in found.datasets] == [("ml-100k", 1), ("ml-1m", 2)]
    assert list(found.datasets[1].folds["fold 1"].runs) == ["A", "B"]
    assert found.datasets[0].patterns["train"] == "ml-100k/train.csv"


def test_every_file_is_named_with_what_it_was_taken_for(tmp_path: Path):
    found = recognised(folder(tmp_path, "train.csv", "test.csv", "A.csv", "notes.md"))
    assert only(found).patterns == {"train": "train.csv", "test": "test.csv", "run A": "A.csv"}
    assert found.unread() == ["not read: notes.md, because '.md' is not an ending of rows or scores"]


TWO = both("fold0", "fold1", name="csv")


def test_what_may_be_read_in_two_ways_is_refused_in_a_sentence(tmp_path: Path, approved):
    cases = (
        ["train.csv", "old/train.csv", "test.csv", "A.csv"],
        ["train_test.csv", "A.csv"],
        [*TWO, "fold1/A_fold0.csv", "fold0/A.csv"],
        [*TWO, "fold0/A.csv", "fold1/A.csv", "B.csv"],
        ["train.csv", "test.csv", "fold0/A.csv", "fold1/A.csv"],
        ["train.csv", "fold0/test.csv", "fold1/test.csv"],
        [*TWO, "fold0/A.csv"],
        [*TWO, "fold2/test.csv"],
        ["train.csv", "test.csv", "seed1/A.csv", "seed2/A.csv", "Pop.csv"],
        [*TWO, "fold0/A.csv", "A_fold0.csv", "fold1/A.csv"],
        [*both("", "old", name="csv"), "A.csv", "old/A.csv"],
        [*both("kNN", "MF", name="csv"), "kNN/lists.csv", "MF/lists.csv"],
        [*both("ml", "lastfm", name="csv"), "ml/A.csv", "ml/B.csv", "C.csv"],
        ["0/test.tsv", "0/0/train.tsv", "0/1/train.tsv"],
    )
    told = {}
    for number, names in enumerate(cases):
        within = folder(tmp_path / str(number), *(name.removeprefix("/") for name in names))
        told[" ".join(names)] = refusal(partial(recognised, within), DataError)
    approved(told)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path):
    with pytest.raises(DataError, match="no such folder"):
        recognised(tmp_path / "nowhere")
