"""Sets and runs in any form become the files that a study reads."""

from pathlib import Path

import pandas as pd
import pytest

from recsens.errors import DataError
from recsens.files.kinds import RankBy
from recsens.files.scale import Scale
from recsens.inputs.foreign_results import ForeignResults
from recsens.runs.audits._decisions import metrics_within, read_options
from recsens.runs.audits._matching import ForeignItems
from recsens.runs.audits._material import INTERACTIONS, ROLES, RunFile, Sets, write_runs, write_sets


def write(root: Path, runs: dict[str, Path], sets: Sets, rank_by: RankBy = "score") -> dict[str, RunFile]:
    """Write the runs of a single fold."""
    [fold] = ForeignResults.of({}, runs).divided({}, rank_by=rank_by).folds.values()
    return write_runs(root, [fold], sets, {}, rank_by)


def written(root: Path, name: str, text: str) -> Path:
    (root / name).write_text(text, encoding="utf-8")
    return root / name


@pytest.fixture
def sources(tmp_path: Path) -> dict[str, Path]:
    """A train set and a validation set, and a test set that shares a pair with train."""
    return {
        "train": written(tmp_path, "train.csv", "user,item,rating\nann,x,5\nann,y,2\nbob,x,4\n"),
        "validation": written(tmp_path, "valid.csv", "user,item,rating\nbob,y,3\n"),
        "test": written(tmp_path, "test.csv", "user,item,rating\nann,z,5\nbob,x,1\n"),
    }


@pytest.fixture
def sets(sources: dict[str, Path], tmp_path: Path) -> Sets:
    """The sets, written."""
    return write_sets(tmp_path, [sources], {}, scale=None, relevance=None)


def test_every_pair_has_one_role_and_pairs_of_two_sets_are_counted(sets: Sets, tmp_path: Path):
    roles = pd.read_parquet(tmp_path / ROLES).astype(str)
    assert sorted(map(tuple, roles.to_numpy())) == [
        ("ann", "x", "train"),
        ("ann", "y", "train"),
        ("ann", "z", "test"),
        ("bob", "x", "test"),
        ("bob", "y", "validation"),
    ]
    assert sets.shared == {("train", "test"): 1}
    assert pd.read_parquet(tmp_path / INTERACTIONS)["rating"].tolist() == [5, 2, 3, 5, 1]


def test_the_scale_and_the_threshold_are_found(sets: Sets):
    assert (sets.scale, sets.relevance, sets.threshold) == (Scale(), None, 4)
    assert sets.test_ratings == [1, 5]


def test_a_threshold_that_nothing_reaches_is_refused(sources: dict[str, Path], tmp_path: Path):
    with pytest.raises(DataError, match="no test rating reaches 9"):
        write_sets(tmp_path, [sources], {}, scale=Scale(1, 10, 1), relevance=9)


def test_a_rating_beside_a_declared_scale_is_refused(sources: dict[str, Path], tmp_path: Path):
    with pytest.raises(DataError, match="the rating 5 is outside the declared scale, as are 1 of 3 ratings") as error:
        write_sets(tmp_path, [sources], {}, scale=Scale(1, 4, 0), relevance=None)
    assert error.value.where == f"the train set, {tmp_path / 'train.csv'}:2"
    low = {name: written(tmp_path, f"low-{name}.csv", "user,item,rating\nann,x,2\nbob,z,3\n") for name in ("train", "test")}
    with pytest.raises(DataError, match="the rating 5 is outside the declared scale"):
        write_sets(tmp_path, [sources, low], {}, scale=Scale(1, 4, 0), relevance=None)


def test_train_ratings_beyond_those_of_test_leave_the_threshold_to_the_test_set(sources: dict[str, Path], tmp_path: Path):
    written(tmp_path, "train.csv", "user,item,rating\nann,x,50\nbob,y,1\n")
    written(tmp_path, "test.csv", "user,item\nann,z\nbob,x\n")
    found = write_sets(tmp_path, [sources], {}, scale=None, relevance=None)
    assert found.scale.highest == 50
    assert found.threshold == 1


def test_a_file_of_several_systems_becomes_a_run_of_each(sets: Sets, tmp_path: Path):
    rows = "model,user,item,score\nA,ann,z,2\nB,ann,z,1\nA,bob,w,1\n"
    runs = write(tmp_path, {"both": written(tmp_path, "both.csv", rows)}, sets)
    assert list(runs) == ["A", "B"]
    assert (runs["A"].n_rows, runs["A"].foreign) == (2, ForeignItems(["w"], 0.5))
    assert pd.read_parquet(tmp_path / runs["B"].path)["score"].tolist() == [1]


def test_two_systems_of_a_file_with_the_same_label_are_refused(sets: Sets, tmp_path: Path):
    text = "model,user,item,score\nA=1,ann,z,2\nA_1,bob,z,1\n"
    with pytest.raises(DataError, match="two runs are called 'A_1'"):
        write(tmp_path, {"both": written(tmp_path, "both.csv", text)}, sets)


def test_ranks_become_scores_that_order_items_alike(sets: Sets, tmp_path: Path):
    source = written(tmp_path, "ranked.csv", "user,item,rank\nann,z,1\nann,y,2\n")
    runs = write(tmp_path, {"R": source}, sets, "rank")
    assert pd.read_parquet(tmp_path / runs["R"].path)["score"].tolist() == [-1, -2]


def test_lists_of_one_length_are_cut_and_lists_of_all_items_are_not(sets: Sets, tmp_path: Path):
    def run(name: str, counts: list[int]) -> bool:
        rows = [f"u{user},i{item},{-item}" for user, n in enumerate(counts) for item in range(n)]
        source = written(tmp_path, f"{name}.csv", "\n".join(["user,item,score", *rows]))
        return write(tmp_path, {name: source}, sets)[name].is_cut

    assert not run("whole", [6, 6, 6])
    assert not run("incomplete", [6, 5, 3])
    rows = [f"u{user},i{(user + item) % 6},{-item}" for user in range(4) for item in range(3)]
    cut = written(tmp_path, "cut.csv", "\n".join(["user,item,score", *rows]))
    assert write(tmp_path, {"cut": cut}, sets)["cut"].is_cut


def test_the_same_few_items_for_all_users_are_a_cut_list(tmp_path: Path):
    head = "user,item,rating"
    train = "\n".join([head, *(f"u{item % 4},i{item},5" for item in range(20))])
    test = "\n".join([head, *(f"u{item % 4},i{item + 1},5" for item in range(19))])
    sources = {"train": written(tmp_path, "train.csv", train), "test": written(tmp_path, "test.csv", test)}
    sets = write_sets(tmp_path, [sources], {}, scale=None, relevance=None)
    rows = [f"u{user},i{item},{-item}" for user in range(4) for item in range(9)]
    cut = written(tmp_path, "popular.csv", "\n".join(["user,item,score", *rows]))
    assert write(tmp_path, {"popular": cut}, sets)["popular"].is_cut


def test_judged_ranks_are_kept_as_they_are(sets: Sets, tmp_path: Path):
    source = written(tmp_path, "ranks.csv", "user,item,above,equal,candidates\nann,z,0,0,3\nbob,w,1,1,4\n")
    run = write(tmp_path, {"J": source}, sets)["J"]
    assert (run.has_places_only, run.is_cut, run.n_rows, run.lengths, len(run.foreign.names)) == (True, False, 2, (3, 4), 1)


def test_usual_metrics_stay_within_the_lists():
    assert metrics_within(None, 300)[0] == metrics_within(10, 300)[0] == "nDCG@10"
    assert {metric.partition("@")[2] for metric in metrics_within(10, 300)} == {"5", "10"}
    assert metrics_within(3, 300)[0] == "nDCG@3"
    assert {"AP", "Sampled(of=nDCG,negatives=100)@10"} <= set(metrics_within(None, 300))
    assert not any("Sampled" in metric for metric in (*metrics_within(10, 300), *metrics_within(None, 200)))


def test_options_of_one_decision_are_gathered():
    options = read_options(["users=with_ratings", "relevance=3", "relevance=5"])
    assert options == {"users": ["with_ratings"], "relevance": [3.0, 5.0]}
