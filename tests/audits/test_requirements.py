"""``--require``: what it counts, and when it refuses."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from recsens.cli import main
from recsens.conclusions.verdicts.stability import Stability
from recsens.errors import ConfigError
from recsens.runs.audits._bounds import AHEAD, HOLDS, OPEN, BoundedVerdict
from recsens.runs.audits._required_wins import Requirement

NOTHING: Any = None
QUICK = (
    "--base",
    "users=with_ratings(train=0,test=1)",
    "--base",
    "relevance=4",
    "--base",
    "test=t",
    "--base",
    "convention=recsens",
)


def pair(*winners: str) -> Stability:
    """A pair whose analyses have these winners."""
    base, *others = [{"system_a": "A", "system_b": "B", "winner": winner, "verdict": "of the test"} for winner in winners]
    return Stability(NOTHING, base, others)


def bounded(verdict: str, winner: str = "") -> BoundedVerdict:
    return BoundedVerdict("AP", "full", "A", "B", 0.0, 1.0, winner, verdict)


def test_a_requirement_without_a_share_is_of_all_analyses():
    assert Requirement.parse("my kNN beats B").least == 1
    assert Requirement.parse("A beats B in 62.5%").least == Requirement.parse("A beats B in 62,5 %").least == 0.625
    with pytest.raises(ConfigError, match="A beats B in 0 %"):
        Requirement.parse("A beats B in 0 %")


def test_a_requirement_names_two_runs_that_exist():
    with pytest.raises(ConfigError, match="no run is called 'knn'; did you mean 'kNN'"):
        Requirement.parse("A beats knn in 90 %").check(["A", "kNN"])
    with pytest.raises(ConfigError, match="names one run twice"):
        Requirement.parse("A beats A")
    with pytest.raises(ConfigError) as found:
        Requirement.parse("A beats B in 90").check(["A", "B"])
    assert found.value.remedy == "write a percentage with its sign: 'A beats B in 90 %'"


def test_a_requirement_may_spell_a_run_as_its_file_does():
    assert Requirement.parse("Nächste (k=40) beats B").winner == "Nachste (k_40)"


def test_bounded_comparisons_count_and_undecided_ones_are_not_won():
    bounds = [bounded(HOLDS, "A"), bounded(AHEAD, "A"), bounded(OPEN), bounded(HOLDS, "B")]
    tally = Requirement.parse("A beats B in 60 %").tally([pair("A", "A", "A", "")], bounds)
    assert (tally.won, tally.computed, tally.bounded, tally.undecided) == (4, 4, 4, 2)
    assert (tally.share, tally.holds) == (0.5, False)
    assert tally.told() == (
        "required: A beats B in 60 %: no, in 4 of 8 distinct analyses (50.0\N{NO-BREAK SPACE}%); the cut lists do not decide 2 "
        "analyses, which count as not won"
    )


def test_a_comparison_decided_whatever_lies_below_is_a_win():
    assert Requirement.parse("A beats B").tally([pair("A")], [bounded(HOLDS, "A")]).holds
    assert not Requirement.parse("A beats B").tally([pair("A")], [bounded(AHEAD, "A")]).holds


def write_files(folder: Path) -> None:
    """Write 40 users' ratings of 20 items, and the scores of a good system, of a copy of it, and of a bad one."""
    rng = np.random.default_rng(3)
    user, item = (axis.ravel() for axis in np.meshgrid(np.arange(40), np.arange(20), indexing="ij"))
    taste = rng.normal(size=800)
    pairs = pd.DataFrame({"user": user, "item": item, "rating": np.clip(np.round(3.5 + 1.4 * taste), 1, 5)})
    is_train = rng.random(800) < 0.4
    pairs[is_train].to_csv(folder / "train.csv", index=False)
    pairs[~is_train].to_csv(folder / "test.csv", index=False)
    for name, noise in (("good", 0.6), ("bad", 3.0)):
        scores = pairs.assign(score=taste + noise * rng.normal(size=800))[~is_train][["user", "item", "score"]]
        scores.to_csv(folder / f"{name}.csv", index=False)
    (folder / "copy.csv").write_bytes((folder / "good.csv").read_bytes())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of files."""
    folder = tmp_path_factory.mktemp("three")
    write_files(folder)
    return folder


def call(folder: Path, to: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["audit", str(folder), "--to", str(to), "--no-page", *QUICK, *arguments])


def test_a_run_that_does_not_exist_is_refused_before_anything_is_computed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("recsens.runs.audits._audit.StudyInProcess", NOTHING)
    done = call(folder, tmp_path / "audit", "-m", "nDCG@5", "--require", "goood beats bad")
    assert (done.exit_code, "did you mean 'good'?" in done.output) == (1, True)
    assert not (tmp_path / "audit").exists()


@pytest.fixture(scope="module")
def answered(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The answer about three runs, two of them equal, with a metric that has one value for all users."""
    done = call(
        folder, tmp_path_factory.mktemp("to") / "audit", "-m", "nDCG@5", "-m", "HLU@5", "--json", "--require", "good beats bad"
    )
    assert done.exit_code == 0, done.output
    return dict(json.loads(done.stdout))


def test_metrics_without_a_test_count_in_no_analysis(answered: dict[str, Any]):
    [required] = answered["required"]
    [distinct] = [each["distinct"] for each in answered["pairs"] if {each["a"], each["b"]} == {"good", "bad"}]
    assert required["computed"] == required["won"] == distinct
    assert "Not compared: HLU@5. One value for all users has no test, so it counts in no analysis." in answered["says"]
    assert set(answered["values"]) == {"nDCG@5", "HLU@5"}


def test_a_metric_without_a_test_cannot_be_the_first(folder: Path, tmp_path: Path):
    done = call(folder, tmp_path / "audit", "-m", "HLU@5", "-m", "nDCG@5")
    assert "has one value for all users, so no test can compare two runs" in done.output


def test_the_first_sentences_tell_wins_that_hold_apart_from_pairs_without_a_win(answered: dict[str, Any]):
    first = answered["says"][0]
    assert first == "In both analyses, copy and good beat bad. Neither copy nor good wins in any analysis."


def test_identical_runs_are_pointed_out(answered: dict[str, Any]):
    [said] = [sentence for sentence in answered["says"] if sentence.startswith("Identical runs: ")]
    assert said.startswith("Identical runs: copy and good. ")
