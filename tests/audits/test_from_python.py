"""``recsens.audit``: sets and runs as matrices, frames and paths."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.sparse import csr_matrix

import recsens
from recsens.errors import DesignError

RNG = np.random.default_rng(11)
TASTE = RNG.normal(size=(40, 30))
IS_TRAIN = RNG.random((40, 30)) < 0.4
RATED = np.clip(np.round(3 + 1.5 * TASTE), 1, 5)
TRAIN, TEST = csr_matrix(np.where(IS_TRAIN, RATED, 0)), csr_matrix(np.where(IS_TRAIN, 0, RATED))
SCORES = {"good": TASTE + 0.5 * RNG.normal(size=(40, 30)), "bad": TASTE + 4 * RNG.normal(size=(40, 30))}
QUICK = {
    "metrics": ["nDCG@5", "AP"],
    "base": {"relevance": 4.0, "test": "t", "users": "with_ratings", "convention": "recsens"},
    "page": False,
}


def test_matrices_are_audited_and_the_base_values_are_those_of_evaluate(tmp_path: Path):
    frame = pd.DataFrame(SCORES["bad"]).rename_axis("user").reset_index().melt("user", var_name="item", value_name="score")
    audit = recsens.audit(TRAIN, TEST, {"good": SCORES["good"], "bad": frame}, to=tmp_path / "audit", **QUICK)
    assert audit.told()[0] == "In both analyses, good beats bad."
    assert repr(audit).startswith(f"Audit in {tmp_path / 'audit'}\nIn both analyses, good beats bad.")
    summary = audit.table("summary")
    base = summary[summary["is_base"]].set_index(["system", "metric"])["value"]
    for label, scores in SCORES.items():
        means = recsens.evaluate(scores, TEST, ["nDCG@5", "AP"], train=TRAIN, relevance=4).means
        assert {metric: base[label, metric] for metric in means} == pytest.approx(means, abs=1e-15)


def test_intervals_over_six_users_use_students_t(tmp_path: Path):
    test = {name: matrix[:6] for name, matrix in (("train", TRAIN), ("test", TEST))}
    scores = {name: matrix[:6] for name, matrix in SCORES.items()}
    audit = recsens.audit(test["train"], test["test"], scores, to=tmp_path / "audit", **QUICK)
    good, bad = (
        recsens.evaluate(run, test["test"], ["AP"], train=test["train"], relevance=4).frame["AP"] for run in scores.values()
    )
    rows = audit.table("verdicts").query("metric == 'AP' and view == 'full'")
    expected = stats.ttest_1samp(good - bad, 0).confidence_interval(0.95)
    assert rows["users"].tolist() == [6]
    sign = 1 if rows["system_a"].item() == "good" else -1
    found = sorted(sign * rows[end].item() for end in ("low", "high"))
    assert found == pytest.approx([expected.low, expected.high], rel=1e-9)


def test_runs_without_names_are_refused(tmp_path: Path):
    with pytest.raises(DesignError, match="runs"):
        recsens.audit(TRAIN, TEST, [SCORES["good"], SCORES["bad"]], to=tmp_path / "audit")


def test_condensed_lists_are_not_tried_if_every_test_rating_is_relevant(tmp_path: Path):
    train, test = (csr_matrix((matrix.toarray() > 3).astype(float)) for matrix in (TRAIN, TEST))
    quick = {**QUICK, "base": {"test": "t", "users": "with_ratings"}}
    audit = recsens.audit(train, test, SCORES, to=tmp_path / "audit", **quick)
    assert set(audit.table("summary")["view"]) == {"full"}


@pytest.mark.parametrize("page", [True, False])
def test_what_a_run_did_not_score_is_said_with_and_without_a_page(tmp_path: Path, page: bool):
    partly = {**SCORES, "bad": np.where(np.arange(30) < 15, SCORES["bad"], np.nan)}
    audit = recsens.audit(TRAIN, TEST, partly, to=tmp_path / "audit", **{**QUICK, "page": page})
    [told] = [sentence for sentence in audit.told() if "of the target items" in sentence]
    scored = (~np.isnan(partly["bad"]) & ~IS_TRAIN).sum(axis=1) / (~IS_TRAIN).sum(axis=1)
    assert f"bad scored {scored.mean():.0%}".replace("%", "\N{NO-BREAK SPACE}%") in told
    assert not page or told.partition(".")[0] in audit.page.read_text(encoding="utf-8")
