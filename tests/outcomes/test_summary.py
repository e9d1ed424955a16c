"""Outcomes: from positions on disk to values and comparisons, worked by hand."""

import math

import numpy as np
import pytest
from scipy import stats

from outcomes.test_over_datasets import design, panel
from recsens.artefacts import schemas, storage
from recsens.artefacts.filesets import PositionFiles
from recsens.errors import ArtefactError
from recsens.outcomes.measuring.stored_measures import Measured, _divide_by_cell
from recsens.outcomes.measuring.stored_rankings import CELL, POPULATION, Cell, cell_columns
from recsens.outcomes.paired import Paired
from recsens.outcomes.summary import Outcomes, _p_against
from recsens.plugins.specs import parse
from recsens.study import Study
from recsens.study.designs import expand, folds
from recsens.vocabulary import State
from recsens.workflow.steps.count_ratings import count_ratings
from recsens.workflow.steps.measure import measure

ADDRESSES = {"S": parse("simulated")}
BASE = {"title": "t", "datasets": {"S": "simulated"}, "systems": {"A": "random", "B": "popularity"}, "metrics": ["P@2"]}

ALIKE = "each user counting the same; the mean is not tested"

# Four users, two folds; one row per judged item: user, rating, position (0: not ranked). Two items are ranked for users 0 to 2.
RANKED = [2, 2, 2, 0]
JUDGED = {
    ("random", 0): [(0, 5, 1), (0, 4, 2), (1, 5, 1), (1, 1, 2), (3, 5, 0)],
    ("random", 1): [(0, 5, 2), (2, 2, 1), (3, 5, 0)],
    ("popularity", 0): [(0, 5, 0), (0, 4, 2), (1, 5, 2), (1, 1, 1), (3, 5, 0)],
    ("popularity", 1): [(0, 5, 2), (2, 2, 2), (3, 5, 0)],
}
TRAIN = {0: [3, 1, 0, 2], 1: [3, 0, 1, 2]}


@pytest.fixture
def outcomes(tmp_path, monkeypatch):
    """Write positions of two systems on two folds, measure them, and read the outcomes of a study."""
    monkeypatch.chdir(tmp_path)

    def make(**changes: object) -> Outcomes:
        study = Study.model_validate({**BASE, **changes, "design": {"repeats": 2, **changes.get("design", {})}})
        designs = expand(study, ADDRESSES)["S"]
        rankings = []
        for (name, fold), rows in JUDGED.items():
            folder = designs[0].ranking_folder(folds(designs[0])[fold], parse(name))
            if parse(name) not in study.systems.values():
                continue
            user, rating, position = np.array(rows).T
            unranked = position == 0
            numbers = np.ma.masked_array(position, unranked)
            storage.write_table(
                f"{folder}/positions.parquet",
                schemas.POSITIONS,
                {
                    "user": user,
                    "item": np.arange(len(user)),
                    "rating": rating.astype(float),
                    "score": np.ma.masked_array(-position.astype(float), unranked),
                    "above": numbers,
                    "tied": numbers,
                    "position": numbers,
                    "state": np.where(unranked, State.NC, State.SCORED).astype(np.uint8),
                },
            )
            counts = {
                "train": TRAIN[fold],
                "test": np.bincount(user, minlength=4),
                "targets": [2] * 4,
                "scored": RANKED,
                "filled": [0] * 4,
            }
            storage.write_table(f"{folder}/users.parquet", schemas.RANKED_USERS, counts)
            rankings.append(PositionFiles(f"{folder}/positions.parquet", f"{folder}/users.parquet", "dataset.json"))
        storage.write_json("dataset.json", {"scale": {"lowest": 1, "highest": 5, "step": 1}}, schemas.DATASET)
        seen = {
            "rankings": rankings,
            "cells": [[[view, relevance] for view in ("full", "condensed") for relevance in (None, 5.0)]] * len(rankings),
        }
        count_ratings(**seen, population="population.parquet")
        files = {}
        for measured in study.metrics:
            slug = measured.metric.spec.slug
            files[slug] = f"{slug}.parquet"
            cutoffs = sorted({other.cutoff for other in study.metrics if other.metric == measured.metric})
            measure(**seen, measures=files[slug], metric=str(measured.metric.spec), cutoffs=cutoffs)
        return Outcomes(study, ADDRESSES, Measured.read(files, "population.parquet"))

    return make


def only(rows: list[dict], **wanted: object) -> dict:
    """Return the only row with these values."""
    [row] = [row for row in rows if wanted.items() <= row.items()]
    return row


def test_values_are_means_over_folds_of_means_over_users(outcomes):
    # P@2 of A: user 0 has 1 and .5, user 1 .5 in fold 0, user 2 has 0 in fold 1, user 3 (not covered) 0.
    row = only(outcomes().summary(), system="A")
    assert row["value"] == pytest.approx((0.5 + 0.5 / 3) / 2)
    assert row["n_users"] == 4
    # Over folds: .5 of the users 0, 1 and 3, and .5 / 3 of the users 0, 2 and 3.
    assert row["spread"] == pytest.approx((1 / 3) / math.sqrt(2))
    assert row["n_folds"] == 2
    # Each fold admits three users, two of them covered with two items each.
    assert row["user_coverage"] == pytest.approx(2 / 3)
    assert row["coverage_at_cutoff"] == pytest.approx(2 / 3)
    assert row["scored"] == pytest.approx(2 / 3)


def test_a_random_order_is_averaged_as_the_values_are(outcomes):
    # Every user has two targets, including the unranked item of user 3. Relevant: 2, 1 and 1 in fold 0; 1, 0 and 1 in fold 1.
    row = only(outcomes().summary(), system="A")
    fold_0, fold_1 = (1 + 0.5 + 0.5) / 3, (0.5 + 0 + 0.5) / 3
    assert row["expected_random"] == pytest.approx((fold_0 + fold_1) / 2)
    weighted = only(outcomes(design={"aggregate": "weighted(by=relevant)"}).summary(), system="A")
    assert weighted["expected_random"] == pytest.approx(((2 * 1 + 0.5 + 0.5) / 4 + (0.5 + 0.5) / 2) / 2)
    # Fewer than six users are too few for a test.
    assert math.isnan(row["random_p"])
    # The median of expected values is not the expected value of the median.
    assert math.isnan(only(outcomes(design={"aggregate": "median"}).summary(), system="A")["expected_random"])


@pytest.mark.parametrize("weights", [None, [1, 2, 3, 1, 1, 4, 2]])
def test_values_are_tested_against_those_of_a_random_order_user_by_user(weights):
    own, at_random = [0.2, 0.4, 0.6, 0.1, 0.9, 0.3, 0.5], [0.1, 0.5, 0.3, 0.1, 0.6, 0.2, 0.4]
    both = panel(own, at_random, weights=weights)
    w = np.array(weights or [1.0] * 7)
    delta = np.array(own) - np.array(at_random)
    residuals = w / w.mean() * (delta - np.average(delta, weights=w))
    t = np.average(delta, weights=w) / (residuals.std(ddof=1) / np.sqrt(7))
    assert _p_against(both, "0", both.systems["1"].folds, design()) == pytest.approx(2 * stats.t.sf(t, 6))


def test_reduced_coverage_leaves_out_who_is_not_covered(outcomes):
    row = only(outcomes(design={"coverage": "reduced"}).summary(), system="A")
    assert row["value"] == pytest.approx((0.75 + 0.25) / 2)
    assert row["value"] == row["reduced"]
    assert row["n_users"] == 3
    assert row["user_coverage"] == pytest.approx(2 / 3)


def test_full_and_reduced_means_stand_side_by_side_whatever_the_design_takes(outcomes):
    for coverage in ("full", "reduced"):
        row = only(outcomes(design={"coverage": coverage, "aggregate": "median"}).summary(), system="A")
        # Fold means are .5 and 1/6 over three users each, of whom two are covered.
        assert row["full"] == pytest.approx((0.5 + 1 / 6) / 2)
        assert row["reduced"] == pytest.approx((0.75 + 0.25) / 2)


def test_an_aggregate_that_is_no_mean_is_averaged_over_folds(outcomes):
    # P@2 of A: fold 0 counts the users 0, 1 and 3 with 1, .5 and 0, fold 1 the users 0, 2 and 3 with .5, 0 and 0.
    rows = outcomes(vary={"aggregate": ["median", "geometric"]}).summary()
    assert only(rows, system="A", aggregate="median")["value"] == pytest.approx((0.5 + 0) / 2)
    first, second = (1.01 * 0.51 * 0.01) ** (1 / 3) - 0.01, (0.51 * 0.01 * 0.01) ** (1 / 3) - 0.01
    assert only(rows, system="A", aggregate="geometric")["value"] == pytest.approx((first + second) / 2)
    assert only(rows, system="A", aggregate="mean")["value"] == pytest.approx(1 / 3)


def test_the_tested_difference_of_logarithms_is_the_mean_over_folds(outcomes):
    row = outcomes(design={"aggregate": "geometric"}).comparisons()[0]
    # In fold 0, user 0 has 1 from A and .5 from B; in fold 1 nobody is served otherwise. Each fold averages three users.
    assert row["difference"] == pytest.approx((np.log(1.01) - np.log(0.51)) / 3 / 2)
    assert row["users"] == 4


def test_heavy_users_weigh_more_in_a_weighted_mean_and_in_its_test(outcomes):
    found = outcomes(design={"aggregate": "weighted(by=relevant)"})
    # Relevant test ratings: 2, 1 and 1 of the users 0, 1 and 3 in fold 0; 1 and 1 of the users 0 and 3 in fold 1.
    assert only(found.summary(), system="A")["value"] == pytest.approx(((2 * 1 + 1 * 0.5) / 4 + 1 * 0.5 / 2) / 2)
    row = found.comparisons()[0]
    # Shares of the folds' ratings: user 0 has 1/2 and 1/2, user 1 1/4, user 3 1/4 and 1/2; user 0 is better served by A, by .25.
    assert row["difference"] == pytest.approx(1 * 0.25 / 2)
    assert row["difference"] == pytest.approx(row["value_difference"], abs=1e-12)
    assert row["users"] == 3
    # Residuals w (δ - .125) / w̄ with w̄ = 2/3: .1875, -.046875 and -.140625; their standard deviation is .169010.
    assert row["standard_error"] == pytest.approx(0.169010 / math.sqrt(3), abs=1e-5)
    assert row["effect"] == pytest.approx(0.125 / 0.169010, abs=1e-5)


@pytest.mark.parametrize(
    ("design", "hypothesis"),
    [
        ({}, "the mean of the users' differences is 0"),
        ({"aggregate": "weighted(by=train)"}, "the mean weighted by train of the users' differences is 0"),
        ({"aggregate": "median"}, "the mean of the users' differences is 0; whether the median differs is not tested"),
        ({"aggregate": "geometric"}, "the mean of the users' differences of ln(m + 0.01) is 0"),
        ({"aggregate": "urisk"}, "the mean of the users' differences of penalised gains is 0"),
        (
            {"aggregate": "trisk"},
            "the mean of the users' differences of penalised gains is 0; whether the trisk differs is not tested",
        ),
        (
            {"test": "sign"},
            f"as many of the users' differences are above 0 as below, {ALIKE}",
        ),
        (
            {"test": "subsamples(of=wilcoxon)"},
            f"the users' differences are symmetric about 0, {ALIKE}",
        ),
        (
            {"test": "randomisation", "aggregate": "weighted"},
            "the systems could be swapped for each user; the statistic is the mean weighted by test of the users' differences",
        ),
        ({"test": "t(log=true)"}, "the mean of the users' differences of ln(x + 0.01) is 0"),
    ],
)
def test_every_comparison_names_its_hypothesis(outcomes, design, hypothesis):
    rows = outcomes(design=design).comparisons()
    assert {row["hypothesis"] for row in rows if row["fold"] == "all"} == {f"for these splits and fits, {hypothesis}"}
    assert {row["hypothesis"] for row in rows if row["fold"] != "all"} == {f"for this split and fit, {hypothesis}"}


@pytest.mark.parametrize("aggregate", ["mean", "weighted(by=train)", "median"])
def test_the_difference_of_the_values_stands_beside_the_one_that_is_tested(outcomes, aggregate):
    found = outcomes(design={"aggregate": aggregate})
    values = {(row["metric_full"], row["system"]): row["value"] for row in found.summary()}
    rows = [row for row in found.comparisons() if row["fold"] == "all"]
    assert rows
    for row in rows:
        apart = values[row["metric_full"], row["system_a"]] - values[row["metric_full"], row["system_b"]]
        assert row["value_difference"] == pytest.approx(apart, abs=1e-12, nan_ok=True)


def digests(found: Outcomes, **wanted: object) -> list[str]:
    return [row["digest"] for row in found.comparisons() if row["fold"] == "all" and wanted.items() <= row.items()]


def test_metrics_that_measure_the_same_share_a_digest(outcomes):
    # At one item, precision is success; recall is divided by all relevant items.
    p, success, r = digests(outcomes(metrics=["P@1", "Success@1", "R@1"]))
    assert p == success != r


def test_differences_up_to_a_positive_factor_share_a_digest():
    # P@10 and R@10 of users with one relevant item each, then with the systems exchanged, then with one user more apart.
    hits = np.array([[1, 0, 1, 0], [0, 1, 0, 0]], dtype=np.float64)
    alike = [hits / 10, hits, hits[::-1], hits + np.array([[0, 0, 0, 1], [0, 0, 0, 0]]), np.zeros((2, 4)), np.full((2, 4), 0.5)]
    p, r, exchanged, other, none, equal = (
        Paired(values, np.ones((2, 4), dtype=np.bool_), None).digests([(0, 1)])[0] for values in alike
    )
    assert p == r
    # Equal systems with different values do not have the same numbers.
    assert len({p, exchanged, other, none, equal}) == 5


def test_the_digest_is_of_users_and_weights_too(outcomes):
    found = outcomes(vary={"aggregate": ["median", "weighted(by=train)"], "coverage": ["reduced"], "test": ["sign"]})
    [base] = digests(found, is_base=True)
    assert digests(found, aggregate="median") == digests(found, test="sign") == [base]
    assert base not in digests(found, aggregate="weighted(by=train)") + digests(found, coverage="reduced")


def test_a_threshold_that_a_metric_ignores_leaves_its_digest(outcomes):
    found = outcomes(metrics=["nDCG(gain=exp)@2", "RR"], vary={"relevance": [5]})
    assert len(set(digests(found, metric="nDCG(gain=exp)@2"))) == 1
    assert len(set(digests(found, metric="RR"))) == 2


def test_p_values_of_many_pairs_can_be_adjusted(outcomes):
    systems = {"A": "random", "B": "popularity"}
    rows = outcomes(systems=systems, vary={"correction": ["holm"]}).comparisons()
    for row in rows:
        # A single pair is a family of one.
        assert row["p_adjusted"] == row["p_value"] or math.isnan(row["p_value"])


def test_users_without_train_ratings_are_averaged_where_b1_says_so(outcomes):
    row = only(outcomes(design={"users": "with_ratings(train=0)"}).summary(), system="A")
    assert row["value"] == pytest.approx((0.75 + 0.25 + 0 + 0) / 4)


def test_a_threshold_is_a_column(outcomes):
    rows = outcomes(vary={"relevance": [5]}).summary()
    assert only(rows, system="A", relevance="scale")["value"] == pytest.approx(1 / 3)
    # At 5, user 0 has .5 and .5, user 1 .5.
    assert only(rows, system="A", relevance="5")["value"] == pytest.approx((1.0 / 3 + 0.5 / 3) / 2)
    assert [row["is_base"] for row in rows] == [True, True, False, False]


def test_condensed_rankings_hold_the_judged_items_that_are_ranked(outcomes):
    # B in fold 0 ranks one judged item of user 0; condensed, it comes first, and nobody is covered who has none.
    found = outcomes(design={"view": "condensed"}, metrics=["P@1"])
    assert only(found.summary(), system="B")["value"] == pytest.approx(1 / 3)
    assert only(found.summary(), system="B")["coverage_at_cutoff"] == pytest.approx(2 / 3)


def test_a_metric_of_the_whole_ranking_has_no_cutoff_to_fill(outcomes):
    row = only(outcomes(metrics=["RR"]).summary(), system="A")
    # Reciprocal ranks: 1 and 1/2 of user 0, 1 of user 1, and zeros.
    assert row["value"] == pytest.approx((2 / 3 + 0.5 / 3) / 2)
    assert math.isnan(row["coverage_at_cutoff"])
    assert row["user_coverage"] == pytest.approx(2 / 3)


def test_every_comparison_stands_over_all_folds_and_for_each_fold(outcomes):
    rows = outcomes(design={"test": "randomisation"}).comparisons()
    assert [row["fold"] for row in rows] == ["all", "repeat-0", "repeat-1"]
    # A's values on the folds are 1/2 and 1/6, B's 1/3 and 1/6; the systems differ for one user only.
    assert rows[0]["p_value"] == 1
    assert (rows[0]["difference"], rows[0]["users"]) == pytest.approx((1 / 12, 4))
    # Fold 1: the systems do not differ.
    assert rows[2]["p_value"] == 1
    assert rows[0]["median_p"] == pytest.approx((rows[1]["p_value"] + 1) / 2)


def test_pairs_may_be_named_and_turned_round(outcomes):
    forth = outcomes(design={"test": "randomisation"}).comparisons()[0]
    back = outcomes(design={"test": "randomisation"}, compare=[["B", "A"]]).comparisons()[0]
    assert (back["system_a"], back["system_b"]) == ("B", "A")
    assert back["difference"] == -forth["difference"]
    assert back["p_value"] == forth["p_value"]


@pytest.mark.parametrize("changes", [{"compare": []}, {"systems": {"A": "random"}}], ids=["no pair", "one system"])
def test_nothing_to_compare_is_no_row(outcomes, changes):
    assert outcomes(**changes).comparisons() == []


@pytest.mark.parametrize("spelling", ["RBP@2", "rbp(phi=.8)@2", "RBP(gain=binary,phi=0.8)@2"])
def test_printed_values_stand_beside_ours_under_the_base_design_only(outcomes, spelling):
    printed = {"dataset": "S", "system": "B", "metric": spelling, "value": 0.5, "source": "Table 1"}
    p = {"dataset": "S", "system_a": "B", "system_b": "A", "metric": spelling, "p_value": 0.25, "source": "Table 2"}
    base = {"design": {"test": "randomisation"}, "metrics": ["P@2", "RBP@2"], "vary": {"view": ["condensed"]}}
    found = outcomes(**base, published=[printed], published_comparisons=[p])
    rows = [row for row in found.summary() if row["published"] is not None]
    assert [(row["system"], row["metric"], row["metric_full"], row["view"], row["source"]) for row in rows] == [
        ("B", "RBP@2", "RBP(gain=binary,phi=0.8)@2", "full", "Table 1")
    ]
    assert rows[0]["deviation"] == pytest.approx(rows[0]["value"] - 0.5)
    [row] = [row for row in found.comparisons() if row.get("published") is not None]
    assert row["deviation"] == pytest.approx(row["median_p"] - 0.25)
    assert (row["source"], row["fold"]) == ("Table 2", "all")


def test_a_metric_is_read_at_the_cutoff_asked_for(outcomes):
    rows = outcomes(metrics=["P@1", "P@2", "P@4"]).summary()
    assert [only(rows, system="A", metric=f"P@{n}")["value"] for n in (1, 2, 4)] == pytest.approx([1 / 3, 1 / 3, 1 / 6])


@pytest.mark.parametrize(
    "edited",
    [
        {"design": {"repeats": 3}},
        {"systems": {"A": "random", "C": "popularity(of=sum)"}},
        {"metrics": ["P@3"]},
        {"metrics": ["AP"]},
    ],
    ids=["repeats", "systems", "cutoff", "metric"],
)
def test_a_study_edited_since_it_was_measured_is_to_be_run_again(outcomes, edited):
    changed = Study.model_validate({**BASE, "design": {"repeats": 2}, **edited})
    stale = Outcomes(changed, ADDRESSES, outcomes().measured)
    with pytest.raises(ArtefactError, match="the study changed after measuring") as found:
        stale.comparisons()
    assert found.value.remedy == "run again"


def test_cells_keep_their_names_thresholds_users_and_groups(tmp_path):
    cells = [Cell("a", "full", None), Cell("a", "full", 3.5), Cell("b", "full", None), Cell("b", "full", None)]
    columns = {each.name: np.arange(10) for each in POPULATION if each not in CELL}
    storage.write_table(tmp_path / "x", POPULATION, {**cell_columns(cells, [4, 2, 2, 2]), **columns})
    found = _divide_by_cell(str(tmp_path / "x"), POPULATION)
    assert list(found) == cells[:3]
    # Two groups of the rankings of b.
    assert [found[cell]["train"].tolist() for cell in cells[:3]] == [[[0, 1, 2, 3]], [[4, 5]], [[6, 7], [8, 9]]]
    assert storage.read_table(tmp_path / "x", CELL).column("user").to_pylist() == [0, 1, 2, 3, 0, 1, 0, 1, 0, 1]
