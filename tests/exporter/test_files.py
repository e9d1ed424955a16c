"""What the exporter writes: forms of scores, judged ranks, lists and splits, block by block and with the same bytes each time."""

import ast
import sys
from math import isnan
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from exported import rated, scores_in
from exporter.frameworks import ITEMS, N_ITEMS, N_USERS, TEST, TRAIN, USERS, frame, named, profile
from recsens.workflow.shipped import exporter_file

SCORES = np.random.default_rng(5).integers(0, 4, (N_USERS, N_ITEMS)) / 3
MISSING = np.where(np.arange(N_USERS * N_ITEMS).reshape(N_USERS, N_ITEMS) % 7 == 3, np.nan, SCORES)


def of(recsens_export: ModuleType, scores: np.ndarray = SCORES, **options: object) -> object:
    given = {"train": named(TRAIN), "test": named(TEST)} | options
    return recsens_export.from_function(scores.__getitem__, USERS, ITEMS, **given)


def test_the_file_is_for_python_3_8_and_imports_nothing_but_numpy():
    tree = ast.parse(exporter_file().read_text(encoding="utf-8"), feature_version=(3, 8))
    heads = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {str(node.module) if isinstance(node, ast.ImportFrom) else node.names[0].name for node in heads}
    assert {name.partition(".")[0] for name in names} - set(sys.stdlib_module_names) == {"numpy"}


class TestDense:
    @pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
    def test_scores_are_those_of_the_function(self, dtype, recsens_export: ModuleType, tmp_path: Path):
        said = of(recsens_export, MISSING, unscored=True).save(tmp_path / "deep" / "scores.npz", dtype=dtype)
        found = scores_in(tmp_path / "deep" / "scores.npz", {})
        for user, row in zip(USERS, MISSING.astype(dtype).tolist(), strict=True):
            assert found[user] == {item: score for item, score in zip(ITEMS, row, strict=True) if not isnan(score)}
        assert f"{dtype} scores of 4 users and 6 items, 3 pairs without a score" in said

    def test_a_name_without_an_ending_gets_one(self, recsens_export: ModuleType, tmp_path: Path):
        of(recsens_export).save(tmp_path / "scores")
        assert [path.name for path in tmp_path.iterdir()] == ["scores.npz"]

    def test_a_file_that_can_be_mapped_has_its_names_beside_it(self, recsens_export: ModuleType, tmp_path: Path):
        of(recsens_export).save(tmp_path / "scores.v2.npy")
        mapped = np.load(tmp_path / "scores.v2.npy", mmap_mode="r", allow_pickle=False)
        assert np.array_equal(mapped, SCORES.astype(np.float32))
        assert (tmp_path / "scores.v2.users.txt").read_text(encoding="utf-8").splitlines() == USERS
        assert (tmp_path / "scores.v2.items.txt").read_text(encoding="utf-8").splitlines() == ITEMS

    def test_blocks_of_users_change_no_byte(self, recsens_export: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        asked = []

        def score(users: np.ndarray) -> np.ndarray:
            asked.append(len(users))
            return SCORES[users]

        scores = recsens_export.from_function(score, USERS, ITEMS, train=named(TRAIN), test=named(TEST))
        for cells in (1 << 22, 3 * N_ITEMS, 1):
            monkeypatch.setattr(recsens_export, "_CELLS", cells)
            folder = tmp_path / str(cells)
            scores.save(folder / "dense.npz")
            scores.save_ranks(folder / "ranks.npz")
            scores.save_lists(folder / "lists.npz")
        assert asked == [4] * 3 + [3, 1] * 3 + [1] * 12
        files = [{path.name: path.read_bytes() for path in folder.iterdir()} for folder in tmp_path.iterdir()]
        assert len(files[0]) == 3
        assert files[0] == files[1] == files[2]

    def test_ties_that_a_narrow_type_makes_are_counted(self, recsens_export: ModuleType, tmp_path: Path):
        row = np.array([[1.0, 1.0001, 1.0002, 2.0, 2.0, 3.0]])
        scores = recsens_export.from_function(row.repeat(N_USERS, axis=0).__getitem__, USERS, ITEMS)
        assert "8 ties made by rounding to float16" in scores.save(tmp_path / "scores.npz", dtype="float16")
        assert "ties made" not in scores.save(tmp_path / "scores.npz", dtype="float64")


class TestRanks:
    @pytest.mark.parametrize("exclude", [("train", "validation"), ("train",), ()])
    def test_ranks_are_counted_among_scored_candidates(self, exclude, recsens_export: ModuleType, tmp_path: Path):
        validation = [(0, 5, 1.0), (1, 3, 2.0)]
        of(recsens_export, MISSING, unscored=True, validation=named(validation)).save_ranks(tmp_path / "ranks.npz", exclude)
        hidden = {"train": TRAIN, "validation": validation}
        expected = set()
        for user, item, _ in TEST:
            left = {other for side in exclude for of_user, other, _ in hidden[side] if of_user == user}
            row = [score for other, score in enumerate(MISSING[user]) if other not in left and not isnan(score)]
            own = MISSING[user, item]
            if not isnan(own) and item not in left:
                above, equal = sum(score > own for score in row), sum(score == own for score in row) - 1
                expected.add((USERS[user], ITEMS[item], above, equal, len(row)))
        with np.load(tmp_path / "ranks.npz", allow_pickle=False) as file:
            assert (file["recsens_scores"], file["kind"]) == (1, "judged_ranks")
            numbers = (file[name].tolist() for name in ("above", "equal", "candidates"))
            found = set(zip(file["users"][file["user"]].tolist(), file["items"][file["item"]].tolist(), *numbers, strict=True))
        assert len(expected) > 2
        assert found == expected

    def test_what_cannot_be_ranked_is_counted(self, recsens_export: ModuleType, tmp_path: Path):
        test = [*named(TEST), ("stranger", "i1", 1.0), ("ann", "unknown", 1.0), ("ann", "i1", 4.0), ("ann", "i2", 2.0)]
        said = of(recsens_export, test=test).save_ranks(tmp_path / "ranks.npz")
        assert "judged ranks of 5 test pairs" in said
        for part in ("2 whose user or item the model does not know", "1 that occur twice", "1 that are not candidates"):
            assert part in said


def test_lists_hold_the_best_candidates_equal_ones_in_order(recsens_export: ModuleType, tmp_path: Path):
    of(recsens_export, MISSING, unscored=True).save_lists(tmp_path / "lists.npz", depth=3)
    with np.load(tmp_path / "lists.npz", allow_pickle=False) as file:
        held = dict(file)
    assert (held["recsens_scores"], held["kind"]) == (1, "lists")
    for user in range(N_USERS):
        known = {item for of_user, item, _ in TRAIN if of_user == user}
        free = [item for item in range(N_ITEMS) if item not in known and not isnan(MISSING[user, item])]
        best = sorted(free, key=lambda item, user=user: -MISSING[user, item])[:3]
        own = slice(*held["indptr"][user : user + 2])
        assert held["indices"][own].tolist() == best
        assert held["scores"][own].tolist() == MISSING[user, best].tolist()


def test_lists_of_every_kind_of_side_are_the_same(recsens_export: ModuleType, tmp_path: Path):
    forms = {
        "tuples": named(TRAIN),
        "table": frame(TRAIN),
        "renamed": frame(TRAIN).rename(columns={"user_id": "userId", "item_id": "movieId", "rating": "weight"}),
        "columns": {
            "user": [USERS[u] for u, _, _ in TRAIN],
            "item": [ITEMS[i] for _, i, _ in TRAIN],
            "rating": [r for _, _, r in TRAIN],
        },
        "matrix": csr_matrix(profile(values=True)),
    }
    for name, train in forms.items():
        of(recsens_export, train=train).save_split(tmp_path / name)
        assert rated(tmp_path / name / "train.csv") == rated(tmp_path / "tuples" / "train.csv"), name


class TestSplit:
    def test_names_ratings_and_times_are_read_back(self, recsens_export: ModuleType, tmp_path: Path):
        times = pd.to_datetime(["2001-01-01 00:00:10", "2001-01-02 00:00:00"])
        train = pd.DataFrame({"user": ["zoë, jr.", "007"], "item": ['a "b"', "7"], "rating": [0.1, 4.5], "timestamp": times})
        scores = recsens_export.from_function(
            lambda users: np.ones((len(users), 2)), ["zoë, jr.", "007"], ['a "b"', "7"], train=train
        )
        scores.save_split(tmp_path)
        found = pd.read_csv(tmp_path / "train.csv", dtype={"user": str, "item": str})
        assert found.drop(columns="timestamp").equals(train.drop(columns="timestamp"))
        assert found["timestamp"].tolist() == [978307210, 978393600]
        assert not (tmp_path / "test.csv").exists()

    @pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo"])
    def test_times_with_a_zone_are_seconds_too(self, zone: str, recsens_export: ModuleType, tmp_path: Path):
        times = pd.to_datetime(["2001-01-01 00:00:10", "2001-01-02"], format="ISO8601", utc=True).tz_convert(zone)
        train = pd.DataFrame({"user": USERS[:2], "item": ITEMS[:2], "timestamp": times})
        of(recsens_export, train=train).save_split(tmp_path)
        assert pd.read_csv(tmp_path / "train.csv")["timestamp"].tolist() == [978307210, 978393600]

    def test_pairs_without_a_rating_have_the_rating_1(self, recsens_export: ModuleType, tmp_path: Path):
        of(recsens_export, train=[pair[:2] for pair in named(TRAIN)]).save_split(tmp_path)
        assert (tmp_path / "train.csv").read_text(encoding="utf-8").splitlines()[:2] == ["user,item,rating", "ann,i2,1"]

    def test_another_split_is_overwritten_only_on_demand(self, recsens_export: ModuleType, tmp_path: Path):
        of(recsens_export).save_split(tmp_path)
        of(recsens_export).save_split(tmp_path)
        other = of(recsens_export, train=named(TRAIN[1:]), test=None)
        with pytest.raises(recsens_export.ExportError, match="already exists with a different split"):
            other.save_split(tmp_path)
        assert len(rated(tmp_path / "test.csv")) == N_USERS
        other.save_split(tmp_path, overwrite=True)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["train.csv"]


def test_factors_that_are_larger_than_the_scores_are_written_only_on_demand(recsens_export: ModuleType, tmp_path: Path):
    wide = SimpleNamespace(user_factors=np.ones((N_USERS, 9)), item_factors=np.ones((N_ITEMS, 9)))
    scores = recsens_export.from_implicit(wide, USERS, ITEMS)
    assert "float32 scores" in scores.save(tmp_path / "scores.npz")
    assert "9 factors" in scores.save(tmp_path / "scores.npz", form="factors")
