"""A sweep writes the study that it runs, and says what changes. Tests of studies cover what a run computes."""

from functools import partial
from pathlib import Path

import pandas as pd
import pytest
import yaml

import recsens
from approved import refusal
from recsens.errors import ConfigError, RecsensError
from recsens.notebook import sweeps
from recsens.notebook.studies import StudyTables
from recsens.recommenders import Recommender
from recsens.study import load_study
from workspaces import STUDY, Workspace

FRAME = pd.DataFrame({"user": ["ann", "ann", "bob", "bob"], "item": ["a", "b", "a", "c"], "rating": [5, 3, 4, 1]})


@pytest.fixture
def swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder, and write studies without a run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sweeps, "run", lambda file, **_: StudyTables(tmp_path / "results/studies" / file.stem))
    return tmp_path


def test_the_first_option_is_the_base_design_and_others_vary(swept: Path):
    found = recsens.sweep(
        "simulated",
        {"kNN": "user_knn(k=5)", "Popularity": Recommender.build("popularity")},
        "nDCG@10",
        split=["random(ratio=0.8)", "random(ratio=0.5)"],
        view="condensed",
        keys={"margin": 0.01},
        seed=3,
    )
    study = load_study(found.file)
    assert str(study.design.split) == "random", "0.8 is the default"
    assert study.design.view == "condensed"
    assert [str(each) for each in study.vary["split"]] == ["random(ratio=0.5)"]
    assert (study.seed, list(study.systems)) == (3, ["kNN", "Popularity"])
    assert found.study == study


def test_ratings_in_memory_are_kept_once_and_named_by_their_content(swept: Path):
    first = recsens.sweep(FRAME, {"Popularity": "popularity"}, ["P@1"])
    again = recsens.sweep(FRAME, {"Popularity": "popularity"}, ["P@1"])
    other = recsens.sweep(FRAME.assign(rating=5), {"Popularity": "popularity"}, ["P@1"])
    assert first.file == again.file != other.file
    assert len(list((swept / "sweeps").glob("*.parquet"))) == 2
    kept = recsens.load(yaml.safe_load(first.file.read_text(encoding="utf-8"))["datasets"]["Ratings"])
    assert kept.frame.equals(recsens.load(FRAME).frame)
    assert kept.identity == recsens.load(FRAME).identity


def test_the_seed_is_that_of_the_ratings(swept: Path):
    assert recsens.sweep(recsens.load(FRAME, seed=5), ["popularity"], "P@1").study.seed == 5


def test_what_no_study_can_say_is_refused(swept: Path, approved):
    cases = (
        {"splits": ["random"]},
        {"split": []},
        {"systems": {"A": 7}},
        {"metrics": ["nDGC@10"]},
        {"name": "No Name"},
        {"ratings": 7},
    )
    usual = {"ratings": FRAME, "systems": {"A": "popularity"}, "metrics": ["P@1"]}
    approved({str(each): refusal(partial(recsens.sweep, **{**usual, **each}), RecsensError) for each in cases})


def test_filtered_ratings_and_counts_are_refused(swept: Path):
    with pytest.raises(ConfigError, match="the filter is a decision"):
        recsens.sweep(recsens.filter(recsens.load(FRAME), "ratings_per_user(at_least=1)"), ["popularity"], "P@1")
    counted = recsens.load(FRAME[["user", "item"]], duplicates="count")
    with pytest.raises(ConfigError, match="counts of repeated pairs"):
        recsens.sweep(counted, ["popularity"], "P@1")


def test_the_study_file_is_written_once(swept: Path):
    found = recsens.sweep("simulated", ["popularity"], "P@1")
    assert load_study(found.write(swept / "mine.yaml")) == found.study
    with pytest.raises(ConfigError, match="this file already exists"):
        found.write(swept / "mine.yaml")
    with pytest.raises(ConfigError, match="cannot name a study"):
        found.write(swept / "Mine.yaml")


def test_a_mistake_leaves_no_file_behind(swept: Path):
    with pytest.raises(ConfigError, match="populaity"):
        recsens.sweep("simulated", {"A": "populaity"}, "P@1")
    assert list((swept / "sweeps").iterdir()) == []


@pytest.mark.slow
@pytest.mark.workflow
def test_a_sweep_has_the_results_of_its_study_file(finished: Workspace, monkeypatch: pytest.MonkeyPatch):
    for name, value in finished.environment().items():
        monkeypatch.setenv(name, value)
    written = recsens.results("tiny", checkout=finished.root)
    swept = recsens.sweep(
        STUDY["datasets"],
        STUDY["systems"],
        STUDY["metrics"],
        split="random(ratio=0.5)",
        view=["full", "condensed"],
        cores=1,
        checkout=finished.root,
    )
    for table in ("summary", "verdicts", "flips"):
        assert (swept.folder / f"{table}.csv").read_bytes() == (written.folder / f"{table}.csv").read_bytes()
    assert len(repr(swept).splitlines()) <= 10
    assert "<svg" in swept.plot()._repr_html_()
    assert "Values under the base design" in swept._repr_html_()
    assert swept.reverses + swept.holds
