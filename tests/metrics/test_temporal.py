"""Novelty and diversity over time, by hand, by brute force, and from the files of a run."""

from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.lists import catalogue, judged, lists
from metrics.rankings import built
from notebook.steps import run_steps
from recsens.artefacts.addresses import Address
from recsens.errors import DesignError, SpecError
from recsens.plugins.specs import parse
from recsens.study import Study
from recsens.study.conflicts import refuse_conflicts
from recsens.study.designs import expand

LISTS = st.lists(st.permutations(range(6)).flatmap(lambda row: st.integers(0, 6).map(lambda n: row[:n])), min_size=3, max_size=3)
"""Lists of three users among six items."""

OVER_TIME = ["TemporalDiversity@3", "TemporalNovelty@3"]


def by_sets(name, fold, earlier, n):
    """Return each user's value from the definition; the folds hold a list for each user."""
    values = []
    for user, row in enumerate(fold):
        before = [set(each[user][:n]) for each in earlier if each[user]]
        known = set().union(*before) if name == "TemporalNovelty" else before[-1] if before else set()
        values.append(len([item for item in row[:n] if item not in known]) / max(len(row[:n]), 1) if before else np.nan)
    return values


def measured(name, fold, earlier, *cutoffs):
    known = catalogue([(0, 0)], 3, 6)
    given = replace(lists(fold, known), earlier=tuple(lists(each, known) for each in earlier))
    return built(name).measure_lists(given, judged(fold), cutoffs)


@given(st.lists(LISTS, min_size=1, max_size=4), st.sampled_from(["TemporalDiversity", "TemporalNovelty"]))
def test_every_list_is_compared_with_those_of_its_user_before(folds, name):
    *earlier, fold = folds
    found = measured(name, fold, earlier, 2, 5)
    for column, n in enumerate((2, 5)):
        np.testing.assert_allclose(found[:, column], by_sets(name, fold, earlier, n))


def test_three_lists_of_a_user():
    earlier, now = [[[0, 1, 2], [], []], [[3, 4, 5], [], []]], [[0, 3, 1], [2], []]
    # Of 0, 3 and 1, the second list showed 3, and the two lists together showed all.
    assert measured("TemporalDiversity", now, earlier, 3)[0] == pytest.approx(2 / 3)
    assert measured("TemporalNovelty", now, earlier, 3)[0] == 0
    # At a depth of 2, the first list showed 0 and 1, the second 3 and 4.
    assert measured("TemporalNovelty", now, earlier, 2)[0] == 0
    assert np.isnan(measured("TemporalNovelty", now, earlier, 3)[1:]).all()


def test_lists_of_one_time_are_refused():
    with pytest.raises(DesignError, match="successive times"):
        built("TemporalNovelty").measure_lists(lists([[0]], catalogue([(0, 0)], 1, 1)), judged([[0]]), (1,))


@pytest.mark.parametrize(("design", "other"), [({"split": "k_fold"}, "split"), ({"split": "rolling", "view": "condensed"}, "view")])
def test_folds_of_one_time_and_condensed_lists_are_refused_before_any_job(design, other):
    content = {"title": "t", "datasets": {"S": "simulated"}, "systems": {"A": "random"}, "metrics": ["TemporalNovelty@3"]}
    study = Study.model_validate({**content, "design": design})
    with pytest.raises(DesignError, match=f"'{other}: {design[other]}") as refused:
        refuse_conflicts(study, expand(study, {"S": parse("simulated")}))
    assert "successive times" in str(refused.value)


def test_analyses_of_metrics_judge_one_fold():
    content = {"title": "t", "datasets": {"S": "simulated"}, "systems": {"A": "random", "B": "popularity"}}
    with pytest.raises((SpecError, ValueError), match="several folds"):
        Study.model_validate({**content, "metrics": ["TemporalNovelty@3"], "meta": {"x": "discrimination"}})


def test_a_run_compares_successive_folds(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(3)
    pairs = random.permutation(40 * 30)[:500]
    # Some users come late.
    days = np.where(pairs // 30 < 30, random.integers(0, 300, 500), random.integers(200, 300, 500))
    rows = {"user": pairs // 30, "item": pairs % 30, "rating": random.integers(1, 6, 500), "time": 1_500_000_000 + 86_400 * days}
    pd.DataFrame(rows).to_csv("ratings.csv", index=False)
    found = run_steps(
        {
            "title": "t",
            "datasets": {
                "D": 'delimited(path=ratings.csv,separator=",",header=true,user=user,item=item,rating=rating,timestamp=time)'
            },
            "design": {"split": "rolling(windows=3,horizon=60)", "users": "with_ratings(train=0)"},
            "systems": {"P": "popularity", "K": "item_knn(k=5)"},
            "metrics": OVER_TIME,
        }
    )
    rankings: dict[str, list[list[list[int]]]] = defaultdict(list)
    shown: dict[str, list[list[list[int]]]] = defaultdict(list)
    for path in sorted(Path("results").rglob("lists-*.parquet")):
        table, name = pd.read_parquet(path), Address.parse(path.as_posix()).step("recommender")
        had = pd.read_parquet(path.parent / "users.parquet")["train"] > 0
        rows = [table["item"][table["user"] == user].to_list() for user in range(40)]
        rankings[name].append(rows)
        # A list that a system made for a user who had not come yet was shown to nobody.
        shown[name].append([row if there else [] for row, there in zip(rows, had, strict=True)])
    assert {len(folds) for folds in rankings.values()} == {3}
    for row in found.summary:
        system = next(name for name in rankings if name.startswith({"P": "popularity", "K": "item_knn"}[row["system"]]))
        name = row["metric"].partition("@")[0]
        values = [by_sets(name, fold, shown[system][:nth], 3) for nth, fold in enumerate(rankings[system])]
        later = [np.nanmean(each) for each in values[1:]]
        # The first fold, which has nothing earlier, is not one of those that the mean and its spread are over.
        assert [row["spread"], row["full"]] == pytest.approx([np.std(later, ddof=1), np.mean(later)])
        assert row["value"] == pytest.approx(np.mean(later)), row
