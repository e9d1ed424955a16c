"""From measures on disk to outcomes: metrics with one value for all users, and users for whom a metric is not defined."""

import math
from pathlib import Path

import numpy as np
import pytest

from recsens.artefacts import schemas, storage
from recsens.artefacts.filesets import ListFiles, PositionFiles
from recsens.comparison.aggregation import Aggregate, Cover
from recsens.comparison.users import Population
from recsens.errors import DesignError
from recsens.outcomes.measuring.stored_measures import Measured
from recsens.outcomes.measuring.stored_rankings import CELL, Cell
from recsens.outcomes.paired import Paired
from recsens.outcomes.panels import FoldMeasures, Panel, PooledFold, PooledPanel, PooledValues, SystemMeasures
from recsens.outcomes.summary import Outcomes
from recsens.plugins.specs import parse
from recsens.study import Study
from recsens.study.designs import expand, folds
from recsens.vocabulary import State
from recsens.workflow.steps.count_ratings import count_ratings
from recsens.workflow.steps.measure import measure

X = math.nan

# Three users and four items; one row per judged item: user, item, rating, score (X: not ranked).
JUDGED = {
    ("average_rating", 0): [(0, 2, 5, 4), (0, 3, 3, 2), (1, 2, 4, 4), (2, 3, 1, X)],
    ("average_rating", 1): [(0, 0, 5, 2), (1, 3, 2, 2), (2, 0, 4, X)],
    ("average_rating(damping=1.0)", 0): [(0, 2, 5, 3), (0, 3, 3, 2), (1, 2, 4, 3), (2, 3, 1, 2)],
    ("average_rating(damping=1.0)", 1): [(0, 0, 5, 3), (1, 3, 2, 2), (2, 0, 4, 3)],
}
TRAIN = {0: [(0, 0), (0, 1), (1, 0)], 1: [(0, 1), (1, 1), (1, 2)]}
LISTS = {name: [[2, 3], [2, 3], []] if name == "average_rating" else [[2, 3], [3, 2], [0, 1]] for name, _ in JUDGED}


def write_fold(folder: Path, name: str, fold: int) -> dict[str, str]:
    """Write the files of a ranking, and its data."""
    kinds = ("positions", "users", "lists", "interactions", "item_ids", "item_columns", "roles")
    files = {key: str(folder / f"{key}.parquet") for key in kinds}
    user, item, rating, score = np.array(JUDGED[name, fold]).T
    unranked = np.isnan(score)
    rows = LISTS[name]
    position = [0 if math.isnan(s) else 1 + (i != rows[int(u)][0]) for u, i, _, s in JUDGED[name, fold]]
    numbers = np.ma.masked_array(position, unranked)
    columns = {"user": user, "item": item, "rating": rating, "score": np.ma.masked_array(score, unranked)}
    state = np.where(unranked, State.NC, State.SCORED)
    storage.write_table(
        files["positions"], schemas.POSITIONS, {**columns, "above": numbers, "tied": numbers, "position": numbers, "state": state}
    )
    train = TRAIN[fold]
    counts = {
        "train": np.bincount([u for u, _ in train], minlength=3),
        "test": np.bincount(user.astype(int), minlength=3),
        "targets": [2] * 3,
        "scored": [len(row) for row in rows],
        "filled": [0] * 3,
    }
    storage.write_table(files["users"], schemas.RANKED_USERS, counts)
    top = [(u, rank, i) for u, row in enumerate(rows) for rank, i in enumerate(row, start=1)]
    columns = dict(zip(("user", "rank", "item"), np.array(top, dtype=np.int32).T, strict=True))
    storage.write_table(files["lists"], schemas.LISTS, {**columns, "score": np.ones(len(top))})
    pairs = np.array([*train, *((int(u), int(i)) for u, i in zip(user, item, strict=True))])
    known = {"user": pairs[:, 0], "item": pairs[:, 1], "rating": np.full(len(pairs), 3.0), "timestamp": [None] * len(pairs)}
    storage.write_table(files["interactions"], schemas.INTERACTIONS, known)
    roles = np.array([0] * len(train) + [1] * len(user), dtype=np.uint8)
    storage.write_table(files["roles"], schemas.ROLES, {"role": roles})
    storage.write_table(files["item_ids"], schemas.IDS, {"key": np.arange(4), "id": list("abcd")})
    described = {"key": np.arange(4), "genres": [["x"], ["x"], ["x", "y"], ["y"]]}
    storage.write_table(files["item_columns"], schemas.SIDE_COLUMNS, described)
    return files


@pytest.fixture
def outcomes(tmp_path, monkeypatch):
    """Measure two systems on two folds, and read the outcomes of a study."""
    monkeypatch.chdir(tmp_path)

    def make(*metrics: str, **design: object) -> Outcomes:
        systems = {"A": "average_rating", "B": "average_rating(damping=1.0)"}
        base = {"title": "t", "datasets": {"S": "simulated"}, "systems": systems, "metrics": list(metrics)}
        study = Study.model_validate({**base, "design": {"repeats": 2, "users": "with_ratings(train=0)", **design}})
        addresses = {"S": parse("simulated")}
        [design_of] = expand(study, addresses)["S"]
        files: list[dict[str, str]] = []
        for name, fold in JUDGED:
            folder = Path(str(design_of.ranking_folder(folds(design_of)[fold], parse(name))))
            files.append(write_fold(folder, name, fold))
        storage.write_json("dataset.json", {"scale": {"lowest": 1, "highest": 5, "step": 1}}, schemas.DATASET)
        cells = [[[view, None] for view in ("full", "condensed")]] * len(JUDGED)
        rankings = [PositionFiles(each["positions"], each["users"], "dataset.json") for each in files]
        count_ratings(rankings=rankings, population="population.parquet", cells=cells)
        found = {}
        for measured in study.metrics:
            metric, slug = measured.metric, measured.metric.spec.slug
            names = ListFiles._fields if metric.reads == "lists" else ()
            lists = [ListFiles(*(each[name] for name in names)) for each in files if names]
            selections = [str(design_of.users)] if metric.unit == "pooled" else []
            found[slug] = f"{slug}.parquet"
            named = {"metric": str(metric.full_spec), "cutoffs": [measured.cutoff], "selections": selections, "cells": cells}
            tables = [each["item_columns"] for each in files if getattr(metric, "item_columns", ())]
            measure(rankings=rankings, lists=lists, item_tables=tables, **named, measures=found[slug])
        return Outcomes(study, addresses, Measured.read(found, "population.parquet"))

    return make


def by_system(rows: list[dict]) -> dict[str, dict]:
    return {row["system"]: row for row in rows}


def test_a_pooled_value_is_the_mean_over_folds_and_has_their_spread(outcomes):
    rows = by_system(outcomes("MAE").summary())
    # Errors of A: 1, 1, 0 and 3, 0; of B: 2, 1, 1, 1 and 2, 0, 1.
    assert rows["A"]["value"] == pytest.approx((2 / 3 + 3 / 2) / 2)
    assert rows["A"]["spread"] == pytest.approx(np.std([2 / 3, 3 / 2], ddof=1))
    assert rows["B"]["value"] == pytest.approx((5 / 4 + 1) / 2)
    assert rows["A"]["n_users"] == rows["B"]["n_users"] == 3
    assert rows["A"]["user_coverage"] == pytest.approx(2 / 3)


@pytest.mark.parametrize("aggregate", ["mean", "median", "geometric", "weighted(by=relevant)"])
def test_no_aggregate_and_no_test_reaches_a_pooled_value(outcomes, aggregate):
    found = outcomes("MAE", aggregate=aggregate)
    assert by_system(found.summary())["A"]["value"] == pytest.approx((2 / 3 + 3 / 2) / 2)
    whole, *each = found.comparisons()
    assert whole["difference"] == pytest.approx((2 / 3 + 3 / 2) / 2 - (5 / 4 + 1) / 2)
    assert [row["difference"] for row in each] == pytest.approx([2 / 3 - 5 / 4, 1 / 2])
    for row in (whole, *each):
        assert all(math.isnan(row[name]) for name in ("p_value", "p_adjusted", "low", "high", "effect"))
    assert math.isnan(whole["median_p"])
    # The only test is that over the folds' differences, corrected for the ratings that their train sets share.
    assert 0 < whole["resampled_p"] <= 1
    assert whole["users"] == 3


def test_coverage_and_selection_say_whom_a_pooled_value_is_of(outcomes):
    full, reduced = (by_system(outcomes("PredictionCoverage", coverage=each).summary())["A"] for each in ("full", "reduced"))
    assert full["value"] == full["full"] == reduced["full"] == pytest.approx((3 / 4 + 2 / 3) / 2)
    assert reduced["value"] == full["reduced"] == 1
    assert (full["n_users"], reduced["n_users"]) == (3, 2)
    trained = by_system(outcomes("PredictionCoverage", users="with_ratings").summary())["A"]
    # User 2 has no train rating.
    assert (trained["value"], trained["n_users"]) == (1, 2)


def test_users_for_whom_a_metric_is_not_defined_are_left_out(outcomes):
    found = outcomes("uMAE")
    rows = by_system(found.summary())
    # A: user 0 has errors 1 and 3, user 1 has 0 and 0, user 2 none.
    assert rows["A"]["value"] == pytest.approx((2 + 0) / 2)
    assert rows["A"]["n_users"] == 2
    assert rows["A"]["full"] == pytest.approx((0.5 + 1.5) / 2)
    # B: 1.5 and 2, 1 and 0, 1 and 1.
    assert rows["B"]["value"] == pytest.approx((1.75 + 0.5 + 1) / 3)
    whole = found.comparisons()[0]
    assert whole["users"] == 2
    assert whole["difference"] == pytest.approx(1 - (1.75 + 0.5) / 2)


def test_lists_are_read_with_what_the_train_set_says(outcomes):
    rows = by_system(outcomes("CatalogCoverage@1", "ILD(by=genres)@2", "ARP@2").summary()[:2])
    assert (rows["A"]["value"], rows["B"]["value"]) == (1 / 4, 3 / 4)
    found = outcomes("ILD(by=genres)@2").summary()
    # Items 2 and 3 share one of two words, items 0 and 1 all; user 2 of A has no list.
    assert [row["value"] for row in found] == pytest.approx([(0.5 + 0.5 + 0) / 3, (0.5 + 0.5 + 0) / 3])
    found = outcomes("ARP@2").summary()
    # Raters of items 0 to 3: 2, 1, 0, 0 in one fold, 0, 2, 1, 0 in the other.
    assert [row["value"] for row in found] == pytest.approx([(0.25 + 0.25) / 3, (0.25 + 0.25 + (1.5 + 1) / 2) / 3])


def test_condensed_lists_hold_the_judged_items_alone(outcomes):
    rows = by_system(outcomes("CatalogCoverage@1", view="condensed").summary())
    # First judged items of A: 2, 2 and none; then 0 (rated though not listed) and 3.
    assert rows["A"]["value"] == pytest.approx((1 / 4 + 2 / 4) / 2)


def test_a_column_that_the_data_do_not_have_is_refused_with_those_they_have(outcomes):
    with pytest.raises(DesignError, match="no column 'year'") as refused:
        outcomes("ILD(by=year)@2")
    assert "genres" in str(refused.value)


def test_a_pooled_metric_has_one_row_a_cell(outcomes):
    outcomes("MAE")
    table = storage.read_table("MAE.parquet", CELL)
    assert len(table) == 2 * len(JUDGED)
    assert table.column("user").to_pylist() == [0] * 8


def known(listed: list[int]) -> Population:
    ones = np.ones(len(listed), dtype=np.int64)
    return Population(train=ones, test=ones, relevant=ones, listed=np.array(listed))


def covering(listed: list[int]) -> Cover:
    return Cover(np.ones(len(listed), dtype=np.int64), (np.array(listed) > 0).astype(np.int64), {})


def test_what_is_not_defined_in_one_fold_may_be_in_another():
    values = [[[1.0, X, X]], [[3.0, 5.0, X]]]
    counts = np.ones((1, 3), int), np.ones(3, bool), known([1, 1, 1]), covering([1, 1, 1])
    parts = tuple(FoldMeasures.of(np.array(value), *counts) for value in values)
    mean = Aggregate.build(parse("mean"))
    panel = Panel({"A": SystemMeasures(parts)}, "user", "full", {})
    joined = Paired.over_folds([Paired.of(scores, mean.tested(scores), mean) for scores in panel.by_fold])
    # The first user's shares of the folds are 1 and 1/2, the second user's 0 and 1/2.
    assert joined.values[0] == pytest.approx([(1 + 3 / 2) / 1.5, 5, 0])
    assert joined.counts[0].tolist() == [True, True, False]
    assert SystemMeasures(parts).mean("full") == pytest.approx((1 + 4) / 2)
    SystemMeasures(parts).check_identity("A")


def test_users_of_pooled_values_are_counted_once():
    parts = [
        PooledFold({"full": 1.0, "reduced": 2.0}, np.array([True, True, False]), known(listed), covering(listed))
        for listed in ([1, 0, 1], [0, 0, 1])
    ]
    panel = PooledPanel({"A": PooledValues(tuple(parts)), "B": PooledValues(tuple(parts[1:] * 2))}, "reduced")
    assert (panel.n_users(0), panel.n_users(1), panel.n_users(0, 1)) == (1, 0, 0)
    assert panel.by_fold.tolist() == [[2, 2], [2, 2]]
    assert panel.systems["A"].mean("full") == 1


def test_a_cell_is_looked_up_by_coverage_and_selection(outcomes):
    outcomes("MAE")
    names = [name for name in storage.read_table("MAE.parquet", CELL).column_names if name not in CELL.names]
    assert names == [f"@2147483647 {coverage} with_ratings(train=0)" for coverage in ("full", "reduced")]
    assert Cell("a", "full", None) != Cell("a", "condensed", None)
