"""Judged ranks in an audit: the same values and verdicts as from the scores behind them, and no lists."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import recsens
from recsens.errors import DesignError
from recsens.inputs.folders import FoldFiles
from recsens.inputs.foreign_results import ForeignResults
from recsens.runs.audits import Audit, Options, audit

METRICS = ["nDCG@5", "P@10", "AP", "AUC", "Sampled(of=RR,negatives=5)@5"]
SETTLED = {"users": "with_ratings(train=0,test=1)", "relevance": 4.0, "test": "t", "coverage": "full", "convention": "recsens"}


def write_files(folder: Path, pairs: pd.DataFrame, taste: np.ndarray, rng: np.random.Generator) -> None:
    """Write sets with validation pairs, all scores of two systems, and the ranks of test items among the candidates."""
    role = rng.choice(["train", "validation", "test", "none"], 750, p=[0.3, 0.1, 0.3, 0.3])
    role[:30] = "train"
    for name in ("train", "validation", "test"):
        pairs[role == name].to_csv(folder / f"{name}.csv", index=False)
    candidates = pairs[~np.isin(role, ["train", "validation"])]
    for name, noise in (("good", 0.7), ("bad", 3.0)):
        scores = candidates.assign(score=taste[candidates.index] + noise * rng.normal(size=len(candidates)))
        scores[["user", "item", "score"]].to_csv(folder / f"{name}.csv", index=False)
        by_user = scores.groupby("user")["score"]
        ranks = scores.assign(above=by_user.rank(ascending=False).astype(int) - 1, equal=0, candidates=by_user.transform("size"))
        judged = ranks[role[candidates.index] == "test"]
        judged[["user", "item", "above", "equal", "candidates"]].to_csv(folder / f"{name}-ranks.csv", index=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of two divisions of the same ratings, one of them in a folder below."""
    rng, folder = np.random.default_rng(3), tmp_path_factory.mktemp("files")
    user, item = (axis.ravel() for axis in np.meshgrid(np.arange(25), np.arange(30), indexing="ij"))
    taste = rng.normal(size=750)
    pairs = pd.DataFrame({"user": user, "item": item, "rating": np.clip(np.round(3 + 1.4 * taste), 1, 5)})
    (folder / "other").mkdir()
    for place in (folder, folder / "other"):
        write_files(place, pairs, taste, rng)
    return folder


def files(folder: Path, *endings: str) -> FoldFiles:
    runs = {name: [folder / f"{name}{ending}.csv"] for name, ending in zip(("good", "bad"), endings, strict=True)}
    return FoldFiles({name: folder / f"{name}.csv" for name in ("train", "validation", "test")}, runs)


def audited(folder: Path, *endings: str, **options) -> Audit:
    given = ForeignResults({"": files(folder, *endings)})
    return audit(given, folder / f"audit{''.join(endings)}", Options(metrics=METRICS, base=SETTLED, page=False, **options))


def audited_folds(folder: Path, ending: str) -> Audit:
    given = ForeignResults({"fold 0": files(folder, ending, ending), "fold 1": files(folder / "other", ending, ending)})
    base = {**SETTLED, "view": "full"}
    del base["convention"]
    options = Options(metrics=METRICS, base=base, vary={"convention": ["recbole"]}, page=False)
    return audit(given, folder / f"audit-of-folds{ending}", options)


def test_values_and_verdicts_are_those_of_the_scores(folder: Path):
    of_ranks, of_one, of_scores = audited(folder, "-ranks", "-ranks"), audited(folder, "-ranks", ""), audited(folder, "", "")
    for name in ("summary", "verdicts", "joint"):
        table = of_scores.table(name).drop(columns="spec", errors="ignore")
        for other in (of_ranks, of_one):
            pd.testing.assert_frame_equal(other.table(name).drop(columns="spec", errors="ignore"), table, check_exact=True)
    assert set(of_scores.table("summary")["view"]) == {"full", "condensed"}
    told = next(line for line in of_ranks.recognised if line.startswith("run good"))
    assert "test items among" in told


def test_the_base_values_are_those_of_evaluate(folder: Path):
    summary = audited(folder, "-ranks", "-ranks").table("summary")
    base = summary[summary["is_base"]].set_index(["system", "metric"])["value"]
    for name in ("good", "bad"):
        means = recsens.evaluate(folder / f"{name}-ranks.csv", folder / "test.csv", METRICS[:4]).means
        assert {metric: base[name, metric] for metric in means} == pytest.approx(means, abs=1e-14)


def test_what_places_do_not_tell_is_refused(folder: Path):
    with pytest.raises(DesignError, match="holds judged ranks, which do not name all items with the same score"):
        audited(folder, "-ranks", "", vary={"ties": ["high_index"]})
    with pytest.raises(DesignError, match="places among all targets"):
        audited(folder, "-ranks", "", vary={"targets": ["ar(items=test)"]})


def test_folds_have_the_values_of_the_scores_by_conventions_too(folder: Path):
    of_ranks, of_scores = audited_folds(folder, "-ranks"), audited_folds(folder, "")
    for name in ("summary", "verdicts"):
        ranks, scores = (each.table(name).drop(columns="spec", errors="ignore") for each in (of_ranks, of_scores))
        pd.testing.assert_frame_equal(ranks, scores, check_exact=True)
    by_tool = of_ranks.conventions.rows
    assert by_tool is not None
    assert of_scores.conventions.rows is not None
    pd.testing.assert_frame_equal(by_tool, of_scores.conventions.rows, check_exact=True)
    found = by_tool[by_tool["theirs"] == "NDCG@5"].iloc[0]["value_a"]
    each = [
        recsens.evaluate(at / "good.csv", at / "test.csv", ["NDCG@5"], convention="recbole", train=at / "train.csv").means["NDCG@5"]
        for at in (folder, folder / "other")
    ]
    assert found == pytest.approx(np.mean(each), abs=1e-12)
