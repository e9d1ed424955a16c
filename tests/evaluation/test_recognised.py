"""What is recognised in a folder, and what is refused because it is unclear."""

from pathlib import Path

import pytest

from recsens.audits import recognised
from recsens.errors import DataError


def folder(root: Path, *names: str) -> Path:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("", encoding="utf-8")
    return root


def test_sets_are_recognised_by_a_word_of_their_name_and_all_others_are_runs(tmp_path: Path):
    found = recognised(folder(tmp_path, "train.csv", "ml.valid.tsv", "test.csv.gz", "kNN.csv", "MF.npz"))
    parts = {path.name: part for path, part in found.parts.items()}
    assert parts == {"train.csv": "train", "ml.valid.tsv": "validation", "test.csv.gz": "test", "kNN.csv": "run", "MF.npz": "run"}


def test_the_folders_of_warprec_and_elliot_are_recognised(tmp_path: Path):
    folder(tmp_path, "split/train.tsv", "split/validation.tsv", "split/test.tsv", "recs/A.tsv", "recs/B.tsv")
    found = recognised(folder(tmp_path, "evaluation/overall.tsv", "performance/rec.tsv", "config.json", "params/A.json"))
    assert [path.name for path in found.of("run")] == ["A.tsv", "B.tsv"]
    assert len(found.ignored) == 4
    assert all(set(found.of(part)) for part in ("train", "validation", "test"))


def test_names_of_the_rows_of_dense_scores_are_no_run(tmp_path: Path):
    found = recognised(folder(tmp_path, "train.csv", "test.csv", "mf.npy", "mf.users.txt", "mf.items.txt"))
    assert [path.name for path in found.of("run")] == ["mf.npy"]


def test_an_earlier_audit_below_the_folder_holds_no_runs(tmp_path: Path):
    found = recognised(
        folder(tmp_path, "train.csv", "test.csv", "A.csv", "audit/audit.yaml", "audit/summary.csv", "audit/data/run-a.parquet")
    )
    assert [path.name for path in found.of("run")] == ["A.csv"]
    assert found.ignored[Path("audit/summary.csv")] == "it belongs to an earlier audit"


def test_the_tree_says_what_every_file_was_taken_for(tmp_path: Path):
    tree = recognised(folder(tmp_path, "train.csv", "test.csv", "A.csv", "notes.md")).tree()
    assert "  A.csv: run" in tree
    assert "  notes.md: not read: '.md' is no ending of rows or scores" in tree


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["train.csv", "old/train.csv", "test.csv", "A.csv"], "2 files may be the train set: old/train.csv, train.csv"),
        (["train.csv", "A.csv"], "no file is the test set"),
        (["test.csv", "A.csv"], "no file is the train set"),
        (["train.csv", "test.csv"], "no file is a run"),
    ],
)
def test_an_unclear_folder_is_refused(tmp_path: Path, names: list[str], said: str):
    with pytest.raises(DataError, match=said):
        recognised(folder(tmp_path, *names))


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path):
    with pytest.raises(DataError, match="no such folder"):
        recognised(tmp_path / "nowhere")
