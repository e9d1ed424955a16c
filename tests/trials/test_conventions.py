"""Under the convention of a framework, its real runs have the values that it computes itself."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from evaluation.test_metrics_compared import BY_DEFINITION, PAIRS
from recsens.runs.evaluation import Evaluation, evaluate
from recsens.workflow.shipped import exporter_file
from trials.environments import PROGRAMS, call, python_of
from workspaces import made_once

pytestmark = [
    pytest.mark.trial,
    pytest.mark.skipif("RECSENS_DATA" not in os.environ, reason="RECSENS_DATA names no folder with MovieLens 100K"),
]

SHARES = {"train": 0.7, "validation": 0.1, "test": 0.2}
CLOSE = 1e-6


def measured_by(tool: str, factory: pytest.TempPathFactory, *runs: Path) -> Path:
    """Let a tool measure its own models, or the runs given; return the folder with files and values."""

    def make(root: Path) -> None:
        root.mkdir()
        write_sets(root)
        shutil.copy2(exporter_file(), root)
        for run in runs:
            (root / run.name).write_bytes(run.read_bytes())
        call(python_of(tool), PROGRAMS / f"{tool}_values.py", root, folder=root)

    return made_once(f"convention-{tool}", make, factory)


def write_sets(folder: Path) -> None:
    """Divide MovieLens 100K at random."""
    source = Path(os.environ["RECSENS_DATA"]) / "ml-100k" / "u.data"
    ratings = pd.read_csv(source, sep="\t", names=["user", "item", "rating", "time"], usecols=[0, 1, 2])
    drawn = np.random.default_rng(7).choice(list(SHARES), size=len(ratings), p=list(SHARES.values()))
    for name in SHARES:
        ratings[drawn == name].to_csv(folder / f"{name}.csv", index=False)


def assert_between(found: Evaluation, theirs: dict[str, float]) -> None:
    """The values lie between those of the two extreme orders of equal scores."""
    for name, value in theirs.items():
        low, high = sorted(found.range_by_ties(name))
        assert low - CLOSE <= value <= high + CLOSE, name


def values_in(folder: Path) -> dict:
    return json.loads((folder / "values.json").read_text(encoding="utf-8"))


def kept_in_test(folder: Path, threshold: float) -> pd.DataFrame:
    """The test ratings that a user of the tool would keep, so that the right items are relevant."""
    ratings = pd.read_csv(folder / "test.csv", dtype={"user": str, "item": str})
    return ratings[ratings["rating"] >= threshold]


def test_cornac(tmp_path_factory):
    folder = measured_by("cornac", tmp_path_factory)
    before = {"train": folder / "train.csv", "validation": folder / "validation.csv"}
    for model, by_threshold in values_in(folder).items():
        for threshold, theirs in by_threshold.items():
            # Errors are averages over all users, whatever is relevant: our uMAE and uRMSE.
            errors = {name: theirs.pop(name) for name in ("MAE", "RMSE", "MSE")}
            asked = {name.removesuffix("@-1"): value for name, value in theirs.items()}
            found = evaluate(
                folder / f"{model}.csv", folder / "test.csv", list(asked), convention="cornac", relevance=float(threshold), **before
            )
            # MostPop has many equal scores, which Cornac sorts by an unstable sort; MAP and AUC read the scores.
            tied = [name for name in asked if model == "MostPop" and name not in {"MAP", "AUC"}]
            assert_between(found, {name: asked.pop(name) for name in tied})
            assert {name: found.means[name] for name in asked} == pytest.approx(asked, abs=CLOSE), (model, threshold)
            if (model, threshold) == ("EASE", "4.0"):
                # As docs/coming-from.md says.
                without = {"convention": "cornac", "relevance": 4, "train_items": "none", **before}
                other = evaluate(folder / "EASE.csv", folder / "test.csv", ["NDCG@10"], **without)
                assert (round(found.means["NDCG@10"], 3), round(other.means["NDCG@10"], 3)) == (0.226, 0.324)
            rated = evaluate(
                folder / f"{model}-rated.csv", folder / "test.csv", ["uMAE", "uRMSE"], unknown="drop", train_items="all", **before
            )
            assert rated.means == pytest.approx({f"u{name}": errors[name] for name in ("MAE", "RMSE")}, abs=CLOSE)


def test_implicit(tmp_path_factory):
    folder = measured_by("implicit", tmp_path_factory)
    values = values_in(folder)
    items = values.pop("items")
    for model, by_threshold in values.items():
        for threshold, theirs in by_threshold.items():
            asked = {name.replace("auc", f"auc(items={items})"): value for name, value in theirs.items()}
            found = evaluate(folder / f"{model}.csv", kept_in_test(folder, float(threshold)), list(asked), convention="implicit")
            if model == "tied":
                assert_between(found, {name: value for name, value in asked.items() if "auc" not in name})
            else:
                assert found.means == pytest.approx(asked, abs=CLOSE), (model, threshold)


def test_replay(tmp_path_factory, tmp_path):
    lists = measured_by("implicit", tmp_path_factory)
    whole, short, tied = (tmp_path / f"{name}.run.csv" for name in ("whole", "short", "tied"))
    run = pd.read_csv(lists / "als.csv", dtype={"user": str, "item": str})
    run.to_csv(whole, index=False)
    # Lists of different lengths, and some users without one.
    run[(run.index % 11 < 7) & (run["user"].astype(int) % 13 > 0)].groupby("user").head(9).to_csv(short, index=False)
    run.assign(score=run["score"].round(1)).to_csv(tied, index=False)
    folder = measured_by("replay", tmp_path_factory, whole, short, tied)
    for name, theirs in values_in(folder).items():
        path, threshold = name.split()
        held = kept_in_test(folder, float(threshold))
        found = evaluate(folder / path, held, list(theirs["means"]), convention="replay")
        assert found.means == pytest.approx(theirs["means"], abs=CLOSE), name
        for metric, by_user in theirs["users"].items():
            label = metric.replace("-PerUser", "")
            assert {user: of[label] for user, of in found.per_user.items()} == pytest.approx(by_user, abs=CLOSE), name


def test_surprise(tmp_path_factory):
    folder = measured_by("surprise", tmp_path_factory)
    for model, theirs in values_in(folder).items():
        found = evaluate(folder / f"{model}.csv", folder / "test.csv", list(theirs), convention="surprise")
        assert found.means == pytest.approx(theirs, abs=CLOSE), model


EXPORTED = {"lenskit": ["train"], "rectools": ["train"], "recbole": ["train", "validation"]}


@pytest.mark.parametrize("tool", EXPORTED)
def test_exported_models(tmp_path_factory, tool):
    folder = measured_by(tool, tmp_path_factory)
    before = {side: folder / f"{side}.csv" for side in EXPORTED[tool]}
    for model, theirs in values_in(folder).items():
        found = evaluate(folder / f"{model}.npz", folder / "test.csv", list(theirs), convention=tool, **before)
        if model == "Pop":
            # Many items are equally popular, and tools sort them by an unstable sort.
            assert_between(found, theirs)
        else:
            assert found.means == pytest.approx(theirs, abs=CLOSE), model


@pytest.mark.parametrize("tool", EXPORTED)
def test_lists_with_equal_scores(tmp_path_factory, tool):
    folder = measured_by(tool, tmp_path_factory)
    theirs = values_in(folder)["Pop"]
    lists = pd.read_csv(folder / "Pop.csv", dtype={"user": str, "item": str})
    assert lists.duplicated(["user", "score"], keep=False).mean() > 0.5
    # A list keeps the tool's own order of equal scores.
    found = evaluate(lists, folder / "test.csv", list(theirs), convention=tool)
    assert found.means == pytest.approx(theirs, abs=CLOSE)


@pytest.mark.parametrize("tool", ["lenskit", "recbole", "replay"])
def test_metrics_beyond_accuracy(tmp_path, tool):
    (tmp_path / "pairs.json").write_text(json.dumps(PAIRS), encoding="utf-8")
    call(python_of(tool), PROGRAMS / "beyond_values.py", tool, tmp_path, folder=tmp_path)
    expected = {name: value() for (of_tool, name), value in BY_DEFINITION.items() if of_tool == tool}
    assert values_in(tmp_path) == pytest.approx(expected, abs=1e-9)
