"""Rankings in shards have the same bytes as from a single job, whatever is ranked and however the users are divided."""

import tracemalloc
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oracle.written import write_sides
from recsens import plugins
from recsens.artefacts import schemas, storage
from recsens.artefacts.addresses import Address
from recsens.artefacts.costs import Costs
from recsens.artefacts.filesets import PositionFiles
from recsens.artefacts.statements import Making, making
from recsens.data.datasets import DataSet, to_interactions
from recsens.data.interactions import Interactions
from recsens.errors import ArtefactError
from recsens.metrics import ListMetric, Metric
from recsens.outcomes.measuring.stored_rankings import RankedUsers
from recsens.ranking import _blocks
from recsens.seeds import Origin, Stream
from recsens.vocabulary import TIES
from recsens.workflow.steps.count_ratings import count_ratings
from recsens.workflow.steps.measure import measure
from recsens.workflow.steps.rank import RankingTask, rank
from recsens.workflow.steps.rank_shard import rank_shard

ORIGIN = Origin(1, "x", "repeat-0")
ADDRESS = Address(("seed-1", "x", "none", "random", "repeat-0", "r", "t", "n", "low_index"))
TARGETS = (
    *("ar", "uar(n=9)", "one_r", "one_r(n=9)", "one_r(n=9,draw=per_rating)", "u1r", "p1r(m=3)", "rel_plus_n(n=9)"),
    'listed(path="listed.csv")',
)
SHARES = 'append(by="random",users=without_train)'


@pytest.fixture(autouse=True)
def _stretches_of_sixteen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_blocks, "USERS_AT_ONCE", 4)
    monkeypatch.setattr(_blocks, "STRETCH", 16)


@cache
def _drawn() -> Interactions:
    return to_interactions(DataSet.build("simulated(users=75,items=80,ratings=1500)").load([], Stream.of(1)))


@pytest.fixture
def fold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Write the files of a fold of 75 users, five stretches; every seventh has no train ratings, and some no test ratings."""
    monkeypatch.chdir(tmp_path)
    data = _drawn()
    is_train = (data.user % 7 > 0) & ((data.user + data.item) % 2 == 0) | (data.user // 16 == 2)
    Path("listed.csv").write_text("user,item\n" + "".join(f"{user},{user % 80}\n" for user in range(75)), encoding="utf-8")
    return write_sides(data.take(is_train), data.take(~is_train))


def ranked(fold: dict[str, Any], design: RankingTask, n_shards: int = 1) -> dict[str, bytes]:
    """Rank, by one job or in shards, and return the files."""
    given = {**fold, "design": design, "origin": ORIGIN}
    parts = [f"{number}-of-{n_shards}" for number in range(n_shards)] if n_shards > 1 else []
    costs = [ADDRESS.cost("rank_shard", part) for part in parts]
    with making(Making("rank")):
        for number, (part, cost) in enumerate(zip(parts, costs, strict=True)):
            rank_shard(**given, ranking=ADDRESS.shard(part), cost=cost, shard=(number, n_shards))
        shards = [ADDRESS.shard(part) for part in parts]
        rank(**given, shards=shards, shard_costs=costs, ranking=ADDRESS.ranking, cost=ADDRESS.cost("rank"))
    return {path: Path(path).read_bytes() for path in ADDRESS.ranking}


@pytest.mark.parametrize("targets", TARGETS)
def test_any_target_items_in_any_number_of_shards(fold, targets):
    design = RankingTask("user_knn(k=5)", targets, None, "drop", "random")
    whole = ranked(fold, design)
    # More shards than stretches: some are empty.
    assert ranked(fold, design, 7) == whole


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize(
    ("system", "nc"), [("popularity", "drop"), ("popularity", "append"), ("popularity", SHARES), ("random", "drop")]
)
def test_any_ties_and_items_without_a_score(fold, ties, nc, system):
    design = RankingTask(system, "ar", None, nc, ties)
    assert ranked(fold, design, 3) == ranked(fold, design)


def test_costs_of_shards_add_up(tmp_path):
    shards = [str(tmp_path / name) for name in "ab"]
    for shard, seconds in zip(shards, ({"fit": 1, "rank": 2}, {"fit": 1, "rank": 3}), strict=True):
        storage.write_json(shard, {"seconds": seconds, "peak_mib": 10_000 * seconds["rank"]}, schemas.COSTS)
    Costs().write(tmp_path / "whole", shards)
    assert storage.read_json(tmp_path / "whole", schemas.COSTS) == {"seconds": {"fit": 2, "rank": 5}, "peak_mib": 30_000}


def test_gathered_shards_are_removed(fold):
    ranked(fold, RankingTask("popularity", "ar", None, "drop", "random"), 3)
    assert [path.name for path in Path().rglob("*-of-3*")] == []


@pytest.mark.parametrize("targets", ["ar", pytest.param("one_r", marks=pytest.mark.slow), "p1r(m=3)"])
def test_stretches_are_measured_as_all_users_at_once(fold, monkeypatch, targets):
    ranked(fold, RankingTask("user_knn(k=5)", targets, None, "append", "random"))
    files = PositionFiles(*ADDRESS.ranking[:2], fold["data"].dataset)
    given = {"rankings": [files], "cells": [[("full", None), ("condensed", None)]]}
    by_user = [metric for metric in map(Metric.build, plugins.names("metric")) if _is_streamed(metric)]
    assert len(by_user) > 20

    def columns(path: str) -> dict[str, list[Any]]:
        return storage.read_table(path, schemas.pa.schema([])).to_pydict()

    def tables() -> dict[str, dict[str, list[Any]]]:
        count_ratings(**given, population="population.parquet", depths=[1, 5])
        found = {"population": columns("population.parquet")}
        for metric in by_user:
            cutoffs = (5, 2) if metric.takes_cutoff != "never" else (2**31 - 1,)
            measure(**given, measures="measures.parquet", metric=str(metric.spec), cutoffs=cutoffs)
            found[str(metric.spec)] = columns("measures.parquet")
        return found

    in_stretches = tables()
    monkeypatch.setattr(_blocks, "STRETCH", 1000)
    at_once = tables()
    for name, table in at_once.items():
        for column, values in table.items():
            np.testing.assert_array_equal(in_stretches[name][column], values, err_msg=f"{name} {column}")


def _is_streamed(metric: Metric) -> bool:
    return metric.unit == "user" and not isinstance(metric, ListMetric)


def test_positions_of_a_user_who_is_not_counted_are_refused(fold):
    ranked(fold, RankingTask("popularity", "ar", None, "drop", "random"))
    counts = storage.read_table(ADDRESS.ranking.users, schemas.RANKED_USERS).slice(0, 20)
    storage.write_table("few.parquet", schemas.RANKED_USERS, {name: counts.column(name) for name in counts.column_names})
    with pytest.raises(ArtefactError, match="users without counts"):
        list(RankedUsers.stretches(ADDRESS.ranking.positions, "few.parquet", fold["data"].dataset))


@pytest.mark.slow
def test_memory_is_that_of_a_stretch_of_users_and_not_of_all(fold, monkeypatch):
    data = to_interactions(DataSet.build("simulated(users=6000,items=300,ratings=150000,factors=1)").load([], Stream.of(1)))
    is_train = data.item % 3 == 0
    many = write_sides(data.take(is_train), data.take(~is_train))
    files = PositionFiles(*ADDRESS.ranking[:2], many["data"].dataset)
    given = {"rankings": [files], "cells": [[("full", None)]]}

    def peaks(stretch: int) -> tuple[float, float]:
        monkeypatch.setattr(_blocks, "USERS_AT_ONCE", 125)
        monkeypatch.setattr(_blocks, "STRETCH", stretch)
        ranking = peak(lambda: ranked(many, RankingTask("popularity", "ar", None, "drop", "random")))
        return ranking, peak(lambda: measure(**given, measures="m.parquet", metric="P", cutoffs=[10]))

    peaks(6000)  # initial imports and compilation count for neither
    (ranking_all, measuring_all), (ranking, measuring) = peaks(6000), peaks(250)
    assert ranking < ranking_all / 3
    assert measuring < measuring_all / 3


def peak(work: Callable[[], object]) -> float:
    """Return the peak number of bytes that a function allocates in Python and numpy."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
