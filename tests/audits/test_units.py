"""Folds and trainings are units of the inference, as in a study; data sets are audited one by one."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from recsens.cli import main
from recsens.comparison.significance import corrected_resampled_p
from recsens.runs.evaluation import evaluate

QUICK = (
    "--no-page",
    "-m",
    "nDCG@5",
    "-m",
    "AP",
    "--base",
    "users=with_ratings(train=0,test=1)",
    "--base",
    "relevance=4",
    "--base",
    "test=t",
)
N_USERS, N_ITEMS = 30, 24


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["audit", *map(str, arguments)], catch_exceptions=False)


def write(root: Path, *, folds: int = 1, seeds: tuple[int, ...] = ()) -> Path:
    """Write the sets and all scores of a good and a bad system, for each fold and seed."""
    rng = np.random.default_rng(7)
    user, item = np.repeat(np.arange(N_USERS), N_ITEMS), np.tile(np.arange(N_ITEMS), N_USERS)
    taste = rng.normal(size=len(user))
    rating = np.clip(np.round(3.5 + 1.5 * taste), 1, 5).astype(int)
    pairs = pd.DataFrame({"user": [f"u{each}" for each in user], "item": [f"i{each}" for each in item], "rating": rating})
    part = rng.integers(0, max(folds, 2), len(user))
    for fold in range(folds):
        within = root / f"fold{fold}" if folds > 1 else root
        within.mkdir(parents=True, exist_ok=True)
        pairs[part != fold].to_csv(within / "train.csv", index=False)
        pairs[part == fold].to_csv(within / "test.csv", index=False)
        for name, noise in (("good", 0.8), ("bad", 3.0)):
            for seed in seeds or (None,):
                scores = pairs[["user", "item"]].assign(score=taste + noise * rng.normal(size=len(user)))
                place = within if seed is None else within / f"seed={seed}"
                place.mkdir(exist_ok=True)
                scores.to_csv(place / f"{name}.csv", index=False)
    return root


def base(folder: Path, name: str) -> pd.DataFrame:
    table = pd.read_csv(folder / f"{name}.csv")
    return table[table["is_base"]]


def evaluated(folder: Path, run: str, sets: str = "") -> dict[str, float]:
    at = folder / sets
    return evaluate(folder / run, at / "test.csv", ["nDCG@5", "AP"], train=at / "train.csv", relevance=4).means


@pytest.fixture(scope="module")
def of_folds(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Result]:
    """Audit a folder of two folds."""
    root = tmp_path_factory.mktemp("folds")
    return write(root / "results", folds=2), root / "audit", call(write(root / "results", folds=2), "--to", root / "audit", *QUICK)


def test_a_value_is_the_mean_of_the_values_of_the_folds(of_folds: tuple[Path, Path, Result]):
    folder, audit, done = of_folds
    assert done.exit_code == 0, done.output
    found = base(audit, "summary").set_index(["system", "metric"])["value"]
    for system in ("good", "bad"):
        means = [evaluated(folder, f"fold{fold}/{system}.csv", f"fold{fold}") for fold in (0, 1)]
        for metric in ("nDCG@5", "AP"):
            assert found[system, metric] == pytest.approx(np.mean([each[metric] for each in means]), abs=1e-15)


def test_folds_are_compared_one_by_one_and_together(of_folds: tuple[Path, Path, Result]):
    _, audit, _ = of_folds
    rows = base(audit, "comparisons")
    rows = rows[rows["metric"] == "AP"].set_index("fold")
    assert list(rows.index) == ["all", "repeat-0.fold-0", "repeat-0.fold-1"]
    assert not np.isnan(rows.loc["all", "resampled_p"])


def test_the_answer_says_what_the_folds_are_and_who_is_averaged(of_folds: tuple[Path, Path, Result]):
    said = of_folds[2].stdout
    assert "2 folds (fold 0, fold 1), each measured on its own test set: values are means over folds" in said
    assert "/fold*/bad.csv (2 files); " in said
    assert "users averaged" in said


def test_trainings_on_one_split_are_averaged_and_count_as_one_split(tmp_path: Path):
    folder = write(tmp_path / "results", seeds=(1, 2, 3))
    done = call(folder, "--to", tmp_path / "audit", *QUICK)
    assert done.exit_code == 0, done.output
    assert "3 trainings of each system (seed 1, seed 2, seed 3) on the same split" in done.stdout
    means = [evaluated(folder, f"seed={seed}/good.csv")["AP"] for seed in (1, 2, 3)]
    found = base(tmp_path / "audit", "summary").set_index(["system", "metric"])["value"]
    assert found["good", "AP"] == pytest.approx(np.mean(means), abs=1e-15)
    rows = base(tmp_path / "audit", "comparisons")
    assert rows["resampled_p"].isna().all()


def test_trainings_on_several_folds_enter_the_test_over_splits_by_their_means(tmp_path: Path):
    folder = write(tmp_path / "results", folds=2, seeds=(1, 2))
    done = call(folder, "--to", tmp_path / "audit", *QUICK)
    assert done.exit_code == 0, done.output
    rows = base(tmp_path / "audit", "comparisons")
    rows = rows[rows["metric"] == "AP"].set_index("fold")
    of_units = rows["difference"].drop("all").to_numpy()
    sizes = [len(pd.read_csv(folder / f"fold0/{part}.csv")) for part in ("train", "test")]
    expected = corrected_resampled_p(of_units.reshape(2, 2).mean(axis=1), n_train=sizes[0], n_test=sizes[1])
    assert len(of_units) == 4
    assert rows.loc["all", "resampled_p"] == pytest.approx(expected)


@pytest.mark.slow
def test_each_data_set_has_an_audit_of_its_own(tmp_path: Path):
    for name in ("ml", "lastfm"):
        write(tmp_path / "results" / name)
    done = call(tmp_path / "results", "--to", tmp_path / "audit", *QUICK, "--json", "--require", "good beats bad")
    content = json.loads(done.stdout)
    assert list(content["datasets"]) == ["lastfm", "ml"]
    assert all((tmp_path / "audit" / name / "audit.yaml").exists() for name in ("ml", "lastfm"))
    assert done.exit_code == (0 if all(each["required"][0]["holds"] for each in content["datasets"].values()) else 1)
    told = call(tmp_path / "results", "--to", tmp_path / "audit", *QUICK).stdout
    assert told.splitlines()[0].startswith("Wins in all analyses on each of 2 data sets (lastfm, ml): ")
