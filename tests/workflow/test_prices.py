"""Prices of jobs before anything ran: of the candidates of searches, on the data that are read."""

from pathlib import Path

import pandas as pd
import pytest

from recsens.recommenders import Extent
from recsens.study.baselines import STANDARD
from recsens.workflow.ask import Prices, systems
from recsens.workflow.plan import Plan
from recsens.workflow.plan_in_words import plan_lines
from recsens.workflow.planned_jobs import planned_jobs
from workspaces import Workspace

SYSTEMS = {
    "Tuned": "tuned(of=ease,search=random(trials=9),split=k_fold(k=3))",
    "EASE": "ease",
    "Other": "bpr",
    "Popularity": "popularity",
}


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Write a study on a file of 30 users, 40 items and 600 ratings."""
    monkeypatch.chdir(tmp_path)
    Path("config/studies").mkdir(parents=True)
    rows = "".join(f"{user},{(3 * user + nth) % 40},{nth % 5 + 1}\n" for user in range(30) for nth in range(20))
    Path("ratings.csv").write_text("user,item,rating\n" + rows, encoding="utf-8")
    workspace = Workspace(tmp_path)
    workspace.write_study(
        "priced", datasets={"Mine": 'delimited(path="ratings.csv",separator=",",header=true)'}, systems=SYSTEMS, vary={}
    )
    return workspace


def test_a_search_costs_its_fits_on_all_validation_folds(study, monkeypatch):
    trial = next(each for each in STANDARD if each.name == "ease").seconds(Extent(30, 40, 600))
    prices = Prices(Plan("priced"))
    jobs = planned_jobs(prices.plan)
    (tune,) = [job for job in jobs if job.step == "tune"]
    fits = {job.wildcards["recommender"]: job for job in jobs if job.step == "fit"}
    assert prices.of(tune) - prices.of(fits["ease"]) == pytest.approx((10 * 3 - 1) * trial)
    assert prices.of(fits["ease"]) > trial
    assert prices.of(fits["bpr"]) > 0
    monkeypatch.setattr(systems, "_SHARE", 1000)
    shards = [job for job in planned_jobs(Plan("priced")) if job.step == "tune_shard"]
    assert len(shards) > 1
    assert sum(map(prices.of, shards)) > prices.of(tune)
    (joining,) = [job for job in planned_jobs(Plan("priced")) if job.step == "tune"]
    assert prices.of(joining) < 1 < prices.of(tune)


def test_what_candidates_share_is_paid_for_once(study):
    Workspace(Path()).write_study("shared", datasets={"S": "simulated"}, systems={"kNN": "tuned", "HKV": "tuned(of=hkv)"}, vary={})
    prices = Prices(Plan("shared"))
    tunings = [job for job in planned_jobs(prices.plan) if job.step == "tune"]
    costs = {job.wildcards["recommender"]: prices.of(job) for job in tunings}
    trials = {each.name: each.seconds(Extent(943, 1682, 100_000)) for each in STANDARD}
    assert costs["tuned@of=hkv"] > 21 * trials["hkv"]
    # Two computations of products instead of 21, besides the rankings; a job itself takes less than half a second.
    assert 7 * trials["user_knn"] < costs["tuned"] < 11 * trials["user_knn"] + 0.5


def test_a_plan_says_what_takes_how_long_before_anything_ran(study):
    told = list(plan_lines(Plan("priced"), 2))
    (time,) = [place for place, line in enumerate(told) if line.startswith("Time: about ")]
    assert told[time].endswith("by what steps and recommenders state, because earlier runs have no record of similar jobs")
    assert told[time + 1].startswith("  in processor time: ")
    assert "searches" in told[time + 1]
    assert "Mine" in told[time + 1]


def test_steps_that_read_only_tables_cost_the_same_however_many_rankings_there_are(study):
    prices = Prices(Plan("priced"))
    told = {job.step: prices.of(job) for job in planned_jobs(prices.plan)}
    assert told["decide_winners"] == told["describe_splits"] == 0.4 < told["compare"]


def test_what_cannot_be_read_is_guessed(study):
    Path("ratings.csv").write_text("user,item,rating\n" + "1,2,many\n" * 9, encoding="utf-8")
    prices = Prices(Plan("priced"))
    assert all(prices.of(job) > 0 for job in planned_jobs(prices.plan))


def test_data_are_priced_as_the_filters_leave_them(study):
    mine = 'delimited(path="ratings.csv",separator=",",header=true)'
    design = {"filter": "ratings_per_item(at_least=15)+ratings_per_user(at_least=9)"}
    Workspace(Path()).write_study("filtered", datasets={"Mine": mine}, systems={"EASE": "ease"}, design=design, vary={})
    prices = Prices(Plan("filtered"))
    (address,) = {ranking.address.up_to("filter") for ranking in prices.plan.rankings.values()}
    left = prices._extent_of_filtered(address)
    loaded = pd.read_csv("ratings.csv")
    loaded = loaded[loaded.groupby("item")["user"].transform("size") >= 15]
    loaded = loaded[loaded.groupby("user")["item"].transform("size") >= 9]
    assert left == (loaded["user"].nunique(), loaded["item"].nunique(), len(loaded))
    assert 0 < left.ratings < 600
