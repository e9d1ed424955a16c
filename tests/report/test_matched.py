"""Score files that do not match the data, and values that depend on ties, are counted and named on the first screen."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from recsens.artefacts import schemas, storage
from recsens.conclusions.design_space import base_designs
from recsens.conclusions.verdicts.study_tables import empty_table, read_table
from recsens.files.scale import Scale
from recsens.metrics import parse_measured_at
from recsens.outcomes.measuring.stored_rankings import RankedUsers, RatingRankings
from recsens.outcomes.measuring.tied import better_ties_first, count_tied, depends_on_ties, worse_ties_first
from recsens.report.alerts import alerts, moved_by_ties, reordered_by_ties, unmatched_alerts
from recsens.report.page_content import render
from recsens.study.columns import TABLES
from recsens.workflow.ask import Ask
from recsens.workflow.plan import Plan
from recsens.workflow.steps.describe_matches import describe_matches

COUNTS = [4, 1, 9, 2, 36, 12, 10, 3]
"""Counts for a file of 4 users, 9 items and 36 scores, and a data set with 10 items."""


@pytest.fixture
def matched(tmp_path: Path) -> pd.DataFrame:
    """The table of one system on one fold: two of three judged users have no row, and one of these has no train rating."""
    arrays = {
        "file_counts": np.array(COUNTS),
        "file_strangers": np.array(["u1"]),
        "file_users": np.array([True, False, False, False]),
    }
    storage.write_arrays(tmp_path / "model.npz", {"spec": "from_file"}, arrays, schemas.MODEL)
    columns = {
        "train": [5, 5, 0, 5],
        "test": [1, 1, 1, 0],
        "targets": [5, 5, 10, 5],
        "scored": [5, 2, 0, 0],
        "filled": [1, 2, 0, 0],
    }
    storage.write_table(tmp_path / "users.parquet", schemas.RANKED_USERS, columns)
    out = tmp_path / "matched.csv"
    label = ("Alpha-1M", "repeat-0", "kNN")
    describe_matches(
        models=[str(tmp_path / "model.npz")], users=[str(tmp_path / "users.parquet")], matched=str(out), labels=[label]
    )
    return read_table(out, "matched")


def test_users_items_and_pairs_of_either_side_are_counted(matched):
    (row,) = matched.to_dict("records")
    assert [row[name] for name in TABLES["matched"].names[3:]] == [4, 1, 9, 2, 36, 12, 3, 2, 1, 10, 3, 20, 16]


def test_what_is_lacking_stands_on_the_first_screen(study, results, matched):
    said = (
        "On Alpha-1M, the score file of kNN does not match the data: 2 of 3 users with test ratings have no score, 1 of them "
        "without train ratings. 1 of 4 users and 2 of 9 items in the file are not in the data set (a filter may have removed "
        "them). Items below such items move up, because a study ranks its own items; an evaluation or audit of the file keeps all "
        "places. 3 of 10 items of the data set and 16 of 20 pairs to rank have no score. Check that the file and the data set "
        "spell the names of "
        "users and items the same way; matched.csv has the counts."
    )
    assert unmatched_alerts(study.own, matched) == [said]
    found = results.with_tables(matched=matched)
    assert alerts(study, found.with_tables(datasets=empty_table("datasets"))) == [said]
    page = render(study, found, name="x", designs=base_designs(study.own), figures={})
    assert said in page.partition('<div class="alert" role="note">')[2].partition("</div>")[0]


def test_lists_that_leave_pairs_and_cold_users_out_are_no_reason_to_warn(study, matched):
    lists = matched.assign(unknown_users=0, unknown_items=0, users_without=1)
    assert unmatched_alerts(study.own, lists) == []
    assert unmatched_alerts(study.own, empty_table("matched")) == []


def test_what_is_said_of_files_that_match_otherwise(study, matched, approved):
    full = matched.assign(users_without=1, pairs_without=0)
    told = {
        "no score is missing": full,
        "no score is missing, and no user is unknown": full.assign(unknown_users=0),
        "pairs have no score": matched.assign(users_without=1, unknown_users=0),
    }
    approved({name: unmatched_alerts(study.own, table) for name, table in told.items()})


def test_only_a_study_of_score_files_has_the_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.csv").write_text("user,item,score\nu1,i1,1\n", encoding="utf-8")
    study = {
        "title": "t",
        "datasets": {"S": "simulated(users=60,items=80,ratings=1200)"},
        "systems": {"A": "popularity", "B": 'from_file(path="mine.csv")'},
        "metrics": ["P@5"],
        "vary": {"view": ["condensed"]},
    }
    Path("study.yaml").write_text(yaml.safe_dump(study, sort_keys=False), encoding="utf-8")
    ask = Ask(Plan("study.yaml"))
    asked = ask.arguments("describe_matches")
    assert asked["labels"] == [("S", "repeat-0", "B")]
    assert ask.arguments("study")["has_score_files"]
    (model,), (users,) = asked["models"], asked["users"]
    assert Path(users).is_relative_to(Path(model).parent)
    Path("study.yaml").write_text(yaml.safe_dump({**study, "systems": {"A": "popularity"}}, sort_keys=False), encoding="utf-8")
    assert not Ask(Plan("study.yaml")).arguments("study")["has_score_files"]


# Ties: user 0 has a 5, a 1 and an item that is not judged at one score, below another item; user 1 has nothing tied.

TIED = RankedUsers(
    user=np.array([0, 0, 0, 1], dtype=np.int32),
    position=np.array([3, 2, 0, 1]),
    rating=np.array([5.0, 1.0, 4.0, 5.0]),
    counts={},
    scale=Scale(1, 5),
    above=np.array([1, 1, 0, 0]),
    tied=np.array([2, 2, 0, 0]),
)


def test_better_items_come_first_or_last_among_equal_scores_and_unjudged_ones_are_worst():
    assert better_ties_first(TIED).position.tolist() == [2, 3, 0, 1]
    assert worse_ties_first(TIED).position.tolist() == [4, 3, 0, 1]
    assert count_tied(TIED) == 2


def test_only_metrics_that_ties_bound_have_rows_in_the_table_of_ties():
    asked = parse_measured_at("nDCG@5") + parse_measured_at("AntiP@5") + parse_measured_at("RMSE")
    assert [depends_on_ties(measured.metric) for measured in asked] == [True, False, False]


def test_a_rating_with_a_ranking_of_its_own_is_first_or_last():
    own = RatingRankings(ranked=np.full(4, 9), group=np.zeros(4, dtype=np.int64), targets=np.full(4, 9))
    apart = replace(TIED, by_rating=own)
    assert better_ties_first(apart).position.tolist() == [2, 2, 0, 1]
    assert worse_ties_first(apart).position.tolist() == [4, 4, 0, 1]


def test_printed_values_that_ties_move_are_named_with_both_ends(study, results):
    values = {"kNN": 0.35, "MF": 0.39, "Pop_1": 0.2}
    summary = results.summary.assign(value=results.summary["system"].map(values))
    full = {metric: rows["metric_full"].iloc[0] for metric, rows in summary.groupby("metric")}
    rows = [
        ("kNN", "P@10", 0.3, 0.4),
        ("kNN", "nDCG@10", 0.34, 0.36),
        ("MF", "P@10", 0.39, 0.3900001),
        ("Pop_1", "P@10", 0.19, 0.21),
    ]
    ties = pd.DataFrame(
        [("Alpha-1M", system, metric, full[metric], low, high, 9, 3) for system, metric, low, high in rows],
        columns=TABLES["ties"].names,
    )
    knn, popular = (
        "P@10 of kNN ranges from .300 to .400 (.350 as computed)",
        "P@10 of Pop_1 ranges from .190 to .210 (.200 as computed)",
    )
    assert moved_by_ties("Alpha-1M", summary, ties) == f"{knn}; {popular}"
    assert reordered_by_ties(study.own, summary, ties) == [
        f"On Alpha-1M, the order of equal scores may decide which system is ahead: {knn}. See ties.csv."
    ]
    assert moved_by_ties("Alpha-1M", summary, ties.iloc[2:3]) == ""
    assert reordered_by_ties(study.own, summary, ties.iloc[2:]) == []
