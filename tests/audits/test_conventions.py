"""The conventions of other tools in an audit say what ``recsens evaluate --convention`` and a test of its users' values say."""

import re
from contextlib import chdir
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import recsens
from recsens.conclusions.verdicts.study_tables import read_table
from recsens.errors import ConfigError, SpecError
from recsens.inputs.foreign_results import ForeignResults
from recsens.runs.audits import Audit, Options, audit
from recsens.runs.audits._conventions import Tool, tools
from recsens.runs.audits._decisions import read_options, tools_tried
from recsens.runs.audits._material import Sets, write_sets
from recsens.runs.evaluation import CONVENTIONS
from recsens.workflow.plan import Plan
from recsens.workflow.planned_jobs import planned_jobs

ASKED = ["nDCG@5", "P@5", "R@5", "AP@5", "RR@5", "Success@5"]
SETTLED = {"users": "with_ratings(train=0,test=1)", "relevance": 4.0, "view": "full", "test": "t"}


def write_files(folder: Path) -> None:
    """Write 30 users' ratings of 20 items, some of them relevant, and the scores of two systems; every item is in train."""
    rng = np.random.default_rng(5)
    user, item = (axis.ravel() for axis in np.meshgrid(np.arange(30), np.arange(20), indexing="ij"))
    taste = rng.normal(size=600)
    role = np.where(rng.random(600) < 0.5, "train", np.where(rng.random(600) < 0.6, "test", "neither"))
    role[:20] = "train"
    pairs = pd.DataFrame({"user": user, "item": item, "rating": np.clip(np.round(3 + 1.4 * taste), 1, 5), "role": role})
    for name in ("train", "test"):
        pairs[pairs["role"] == name][["user", "item", "rating"]].to_csv(folder / f"{name}.csv", index=False)
    for name, noise in (("good", 0.7), ("bad", 3.0)):
        scores = pairs.assign(score=taste + noise * rng.normal(size=600)).sort_values("score", ascending=False)
        # Two users have no list.
        scores[scores["user"] < 28][["user", "item", "score"]].to_csv(folder / f"{name}.csv", index=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of files."""
    folder = tmp_path_factory.mktemp("files")
    write_files(folder)
    return folder


@pytest.fixture(scope="module")
def audited(folder: Path) -> Audit:
    """The audit of the files under the usual base design, varied only by the conventions of other tools."""
    sets = {part: folder / f"{part}.csv" for part in ("train", "test")}
    given = ForeignResults.of(sets, {name: folder / f"{name}.csv" for name in ("good", "bad")})
    base = {**SETTLED, "coverage": "full"}
    return audit(given, folder / "audit", Options(metrics=ASKED, base=base, page=False))


def test_values_are_those_of_evaluate_and_p_is_that_of_its_users_values(folder: Path, audited: Audit):
    rows = audited.conventions.rows
    assert rows is not None
    told = {tool.name for tool in audited.conventions.tools if tool.metrics}
    assert told == {
        "trec_eval",
        "ranksys",
        "lenskit",
        "recbole",
        "elliot",
        "rectools",
        "mllib",
        "sklearn",
        "cornac",
        "implicit",
        "replay",
    }
    for tool, theirs, of_good, of_bad, p in rows[["convention", "theirs", "value_a", "value_b", "p_value"]].itertuples(index=False):
        good, bad = (
            recsens.evaluate(
                folder / f"{name}.csv", folder / "test.csv", [theirs], convention=tool, train=folder / "train.csv", ties="given"
            )
            for name in ("good", "bad")
        )
        assert (of_good, of_bad) == pytest.approx((good.means[theirs], bad.means[theirs]), abs=1e-12), (tool, theirs)
        ours, others = good.frame[theirs], bad.frame[theirs]
        delta = np.round((ours - others).to_numpy(), 12)
        expected = stats.ttest_1samp(delta, 0).pvalue if delta.any() else 1.0
        assert p == pytest.approx(expected, rel=1e-6), (tool, theirs)


def test_verdicts_by_conventions_count_among_all_analyses(audited: Audit):
    rows = pd.read_csv(audited.folder / "conventions.csv", keep_default_na=False)
    assert len(rows) > 50
    [pair] = audited.pairs
    distinct = {(row["convention"], row["theirs"]) for row in pair.others if "convention" in row}
    assert 10 < len(distinct) < len(rows)
    assert f" of {pair.n_distinct} analyses" in audited.told()[0]
    assert any(sentence.startswith("Under the conventions of ") for sentence in audited.told())


def test_the_numbers_of_analyses_add_up(audited: Audit):
    [said] = [sentence for sentence in audited.told() if sentence.startswith("A system wins an analysis if")]
    numbers = re.search(
        r"one of 6 metrics\. Of these 6 combinations, .* leaves (\d) for each pair\. .* of 11 other tools add (\d+)\.",
        said,
    )
    assert numbers
    [wins] = audited.wins
    assert sum(map(int, numbers.groups())) == wins.n == wins.won + wins.neither + wins.lost
    assert audited.tried == ["metrics: nDCG@5; P@5; R@5; AP@5; RR@5; Success@5"]


def test_the_study_of_conventions_is_written(audited: Audit):
    assert "convention recbole:" in (audited.folder / "conventions.yaml").read_text(encoding="utf-8")


def sets_of(folder: Path, to: Path, test: str = "") -> Sets:
    source = folder / "test.csv"
    if test:
        source = to / "test.csv"
        source.write_text((folder / "test.csv").read_text(encoding="utf-8") + test, encoding="utf-8")
    return write_sets(to, [{"train": folder / "train.csv", "test": source}], {}, scale=None, relevance=None)


def tool_named(name: str, sets: Sets, depth: int | None = None, *, have_scores: bool = True) -> Tool:
    [found] = tools([name], sets, ASKED, depth, have_scores=have_scores)
    return found


def test_what_files_do_not_tell_is_said(folder: Path, tmp_path: Path):
    sets = sets_of(folder, tmp_path)
    assert tool_named("elliot", sets).untold == ("nDCG@5, whose gains count from 0 on, below the scale",)
    assert tool_named("implicit", sets).untold == ("precision@5, which has one value for all users",)
    assert tool_named("cornac", sets).untold == ()
    assert "MAP, which reads scores" in tool_named("cornac", sets, have_scores=False).untold


def test_gains_that_ratings_below_0_would_turn_into_losses_are_left_out(folder: Path, tmp_path: Path):
    sets = sets_of(folder, tmp_path, test="0,1,-2\n")
    assert "ndcg_score@5, whose gains would be losses for ratings below 0" in tool_named("sklearn", sets).untold


def test_an_item_that_train_lacks_leaves_open_what_cornac_would_say(folder: Path, tmp_path: Path):
    found = tool_named("cornac", sets_of(folder, tmp_path, test="0,new,5\n"))
    assert (found.metrics, found.untold) == ((), ("it leaves out the 1 items that train lacks",))


def test_cut_lists_leave_open_what_tools_compute_of_whole_lists(folder: Path, tmp_path: Path):
    found = tool_named("trec_eval", sets_of(folder, tmp_path), depth=5)
    assert [each.theirs for each in found.metrics] == ["ndcg_cut@5", "P@5", "recall@5", "map_cut@5", "success@5"]
    assert "map, which needs items after the first 5" in found.untold


def test_tools_are_chosen_as_options_of_a_decision():
    vary = read_options(["convention=recbole", "convention=elliot"])
    assert tools_tried({}, vary) == ["recbole", "elliot"]
    assert tools_tried({}, {}) == list(CONVENTIONS)
    assert tools_tried({"convention": "recsens"}, {}) == []
    with pytest.raises(ConfigError, match="the base design has the convention 'recbole'"):
        tools_tried({"convention": "recbole"}, {})
    with pytest.raises(SpecError, match="unknown convention 'recbol'"):
        tools_tried({}, {"convention": ["recbol"]})


@pytest.mark.slow
def test_the_study_of_conventions_computes_the_same_values(audited: Audit):
    rows = audited.conventions.rows
    assert rows is not None
    with chdir(audited.folder):
        for job in planned_jobs(Plan("conventions.yaml")):
            if job.step not in {"figure", "report", "costs"}:
                job.call()
    verdicts = read_table(audited.folder / "results" / "studies" / "conventions" / "verdicts.csv", "verdicts")
    own = verdicts[verdicts["dataset"] != "these files"]
    assert own["p_value"].tolist() == rows["p_value"].tolist()
    assert own["winner"].tolist() == rows["winner"].tolist()
