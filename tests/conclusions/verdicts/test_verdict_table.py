"""Verdicts and what changes them, worked by hand on tables of a few rows."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from recsens.conclusions.verdicts.influence import influences
from recsens.conclusions.verdicts.pairs import changed_verdicts, experiment_verdicts, shortest_ways
from recsens.conclusions.verdicts.stability import stabilities
from recsens.conclusions.verdicts.study_tables import read_table
from recsens.conclusions.verdicts.verdict_table import judge, verdict_table
from recsens.pipeline.table_files import write_frame
from recsens.study.columns import TABLES

ONE = {
    "datasets": {"D": "lab_plugins.Ratings"},
    "systems": {"A": "lab_plugins.Factors", "B": "lab_plugins.Popular"},
    "design": {},
    "vary": {},
    "metrics": ["P@10"],
    "published": [],
    "published_comparisons": [],
}


@pytest.fixture
def small(make_study, make_results):
    """Invent a study of systems A and B on data set D, given the difference and p for each design and metric."""

    def make(found: dict[tuple[str, str], tuple[float, float]], **changes: object):
        study = make_study(**{**ONE, **changes})
        tables = make_results(study)
        summary, comparisons = tables.summary.copy(), tables.comparisons.copy()
        for (key, metric), (difference, p) in found.items():
            for table in (summary, comparisons):
                rows = _is(table, key) & table["metric"].str.startswith(metric)
                if table is summary:
                    table.loc[rows & (table["system"] == "A"), "value"] = 0.5 + difference
                    table.loc[rows & (table["system"] == "B"), "value"] = 0.5
                else:
                    table.loc[rows, ["difference", "low", "high"]] = [difference, difference - 0.02, difference + 0.02]
                    table.loc[rows, ["effect", "p_value", "p_adjusted"]] = [5 * difference, p / 2, p]
        return study, tables.with_tables(summary=summary, comparisons=comparisons)

    return make


def _is(table: pd.DataFrame, key: str) -> pd.Series:
    """Find the rows of a design, given its options; without options, those of the base design."""
    if not key:
        return table["is_base"]
    found = ~table["is_base"]
    for option in ("condensed", "reduced", "low_index"):
        found &= (table[["view", "coverage", "ties"]] == option).any(axis=1) == (option in key)
    return found


def flips(study, results):
    judged = experiment_verdicts(study, verdict_table(study, results.summary, results.comparisons))
    return pd.DataFrame(changed_verdicts(judged))


def kinds(study, results):
    return [(row["decision"], row["to"], row["kind"]) for row in flips(study, results).to_dict("records")]


def test_a_wins_where_value_difference_and_p_agree(small):
    study, results = small({("", "P"): (0.1, 0.049)})
    (row,) = verdict_table(study, results.summary, results.comparisons).to_dict("records")
    assert (row["verdict"], row["beside_base"]) == ("A wins", "agrees")


def test_p_must_be_below_alpha_and_is_the_adjusted_one(small):
    study, results = small({("", "P"): (0.1, 0.05)})
    # The p-value before its adjustment is .025.
    assert verdict_table(study, results.summary, results.comparisons)["verdict"].tolist() == ["undecided"]


def test_nobody_wins_where_the_aggregate_disagrees_with_the_test(small):
    study, results = small({("", "P"): (0.1, 0.001)})
    results.comparisons["difference"] *= -1
    assert verdict_table(study, results.summary, results.comparisons)["verdict"].tolist() == ["undecided"]


def test_nobody_wins_without_a_p_value(small):
    study, results = small({("", "P"): (0.1, math.nan)})
    assert verdict_table(study, results.summary, results.comparisons)["verdict"].tolist() == ["undecided"]


def test_where_less_is_better_the_lower_value_wins(small, monkeypatch):
    monkeypatch.setattr("recsens.conclusions.verdicts.verdict_table.direction", lambda metric: -1)
    study, results = small({("", "P"): (0.1, 0.001)})
    assert verdict_table(study, results.summary, results.comparisons)["verdict"].tolist() == ["B wins"]


@pytest.mark.parametrize(
    ("margin", "difference", "verdict"),
    [
        (0.05, 0.1, "A wins"),  # the interval is .08 to .12
        (0.08, 0.1, "undecided"),
        (0.13, 0.1, "equivalent"),
        ("14 %", 0.1, "undecided"),  # of .6
        ("14 %", -0.1, "B wins"),  # of .5
        (0, 0.0, "undecided"),
    ],
)
def test_with_a_margin_a_winner_is_ahead_by_more_and_equivalents_by_less(small, margin, difference, verdict):
    study, results = small({("", "P"): (difference, 0.001)}, margin=margin)
    assert verdict_table(study, results.summary, results.comparisons)["verdict"].tolist() == [verdict]


def detectable(small, n_users=943, error=0.01, systems=ONE["systems"], **changes):
    """Return the detectable differences in the verdicts, with this standard error in every comparison."""
    study, results = small({("", "P"): (0.1, 0.001)}, systems=systems, **changes)
    results.comparisons[["standard_error", "users"]] = [error, n_users]
    return verdict_table(study, results.summary, results.comparisons)["detectable"]


def power(difference, margin=0.0, level=0.05, n_users=943, error=0.01):
    """Return how often a normal difference has p below the level and its whole interval of 95 % beyond the margin."""
    critical = stats.t.ppf(1 - np.array([level, 0.05]) / 2, n_users - 1)
    return stats.nct.sf(critical, n_users - 1, (difference - np.array([0, margin])) / error).min()


@pytest.mark.parametrize("margin", [0, 0.0025, 0.005, 0.01, 0.1])
def test_what_is_detectable_beyond_the_margin_wins_four_times_in_five(small, margin):
    [found] = detectable(small, margin=margin)
    assert power(found, margin) == pytest.approx(0.8, abs=0.002)


@pytest.mark.parametrize("correction", ["holm", "bh"])
@pytest.mark.parametrize("margin", [0, 0.0025, 0.01])
def test_with_a_correction_it_wins_at_the_first_step_where_the_level_is_shared_by_all_pairs(small, correction, margin):
    eight = {f"S{k}": f"lab_plugins.Neighbours(k={k})" for k in range(1, 9)}
    design = {"correction": correction}
    found = detectable(small, systems=eight, design=design, margin=margin)
    assert len(found) == 28
    assert power(found[0], margin, level=0.05 / 28) == pytest.approx(0.8, abs=0.002)
    assert (found == found[0]).all()


def test_a_pair_without_a_p_value_is_none_that_a_correction_counts(small):
    three = {**ONE["systems"], "C": "lab_plugins.Neighbours(k=3)"}
    study, results = small({}, systems=three, design={"correction": "holm"})
    results.comparisons["standard_error"] = 0.01
    results.comparisons.loc[results.comparisons["system_b"] == "C", "p_value"] = math.nan
    [found, *_] = verdict_table(study, results.summary, results.comparisons)["detectable"]
    assert power(found) == pytest.approx(0.8, abs=0.002)


@pytest.mark.parametrize(("n_users", "within"), [(3, 0.015), (5, 0.01), (20, 0.003)])
def test_few_users_detect_less_as_student_says(small, n_users, within):
    [found] = detectable(small, n_users=n_users)
    assert power(found, n_users=n_users) == pytest.approx(0.8, abs=within)


def test_a_margin_that_is_a_share_is_one_of_the_better_value_as_measured(small):
    [found] = detectable(small, margin="5 %")
    assert found == detectable(small, margin=0.03)[0]  # the better value is .6


def test_resampled_users_with_the_detectable_difference_win_four_times_in_five(small):
    generator = np.random.default_rng(4)
    delta = generator.choice([-0.3, -0.1, 0.0, 0.1, 0.4], p=[0.1, 0.2, 0.4, 0.2, 0.1], size=400)
    error = delta.std(ddof=1) / 20
    [found] = detectable(small, n_users=400, error=error, margin=0.01)
    drawn = generator.choice(delta - delta.mean() + found, size=(4_000, 400))
    lows = drawn.mean(axis=1) - stats.t.ppf(0.975, 399) * drawn.std(axis=1, ddof=1) / 20
    assert (lows > 0.01).mean() == pytest.approx(0.8, abs=0.02)


@pytest.mark.parametrize("design", [{"test": "wilcoxon"}, {"test": "sign"}, {"aggregate": "median"}])
def test_what_a_test_or_a_value_not_of_a_mean_would_find_is_not_known(small, design):
    assert detectable(small, design=design).isna().all()


@pytest.mark.parametrize("test", ["t", "bootstrap", "randomisation", "subsamples(of=t)"])
def test_tests_of_a_mean_have_a_detectable_difference(small, test):
    assert detectable(small, design={"test": test}).notna().all()


def test_measures_that_only_describe_have_no_verdict(small):
    study, results = small({}, metrics=["P@10", "Unrated@10"])
    assert verdict_table(study, results.summary, results.comparisons)["metric"].tolist() == ["P@10"]


def test_intervals_of_effect_sizes_are_those_of_differences_in_standard_deviations(small):
    study, results = small({("", "P"): (0.1, 0.001)})
    row = verdict_table(study, results.summary, results.comparisons).iloc[0]
    # Effect .5 of a difference of .1: one standard deviation is .2.
    assert (row["effect_low"], row["effect_high"]) == pytest.approx((0.4, 0.6))


def test_at_no_difference_the_interval_is_that_of_standard_normal_values(small):
    study, results = small({("", "P"): (0.0, 1.0)})
    row = verdict_table(study, results.summary, results.comparisons).iloc[0]
    assert row["effect_high"] == pytest.approx(1.959964 / math.sqrt(943))
    assert row["effect_low"] == -row["effect_high"]
    assert row["effect"] == 0


def test_single_changes_are_listed_contradictions_first(small):
    study, results = small(
        {
            ("", "P"): (0.1, 0.01),
            ("condensed", "P"): (0.1, 0.2),
            ("reduced", "P"): (-0.1, 0.01),
            ("low_index", "P"): (0.1, 0.01),
            ("", "nDCG"): (-0.2, 0.001),
        },
        vary={"view": ["condensed"], "coverage": ["reduced"], "ties": ["low_index"]},
        metrics=["P@10", "nDCG@5"],
    )
    table = flips(study, results)
    assert list(table.columns) == TABLES["flips"].names
    assert kinds(study, results) == [
        ("Metric and cut-off", "nDCG@5", "contradicts"),
        ("Uncovered users", "reduced", "contradicts"),
        ("Full or condensed rankings", "condensed", "undecides"),
    ]
    row = table.iloc[1]
    assert (row["code"], row["from"], row["base_verdict"], row["verdict"]) == ("C4", "full", "A wins", "B wins")
    assert (row["base_difference"], row["difference"]) == (0.1, -0.1)
    assert (row["base_p"], row["p"]) == (0.01, 0.01)


def test_what_the_base_leaves_open_may_be_decided(small):
    study, results = small({("", "P"): (0.1, 0.2), ("condensed", "P"): (-0.1, 0.01)}, vary={"view": ["condensed"]})
    assert kinds(study, results) == [("Full or condensed rankings", "condensed", "decides")]


def test_other_metrics_of_other_designs_are_no_single_change(small):
    study, results = small(
        {("", "P"): (0.1, 0.01), ("condensed", "P"): (0.1, 0.01), ("condensed", "nDCG"): (-0.1, 0.01), ("", "nDCG"): (0.1, 0.01)},
        vary={"view": ["condensed"]},
        metrics=["P@10", "nDCG@10"],
    )
    assert kinds(study, results) == []
    row = verdict_table(study, results.summary, results.comparisons).iloc[-1]
    assert (row["view"], row["beside_base"]) == ("condensed", "contradicts")


@pytest.mark.parametrize(
    ("metric", "name"),
    [("P@5", "Cut-off"), ("nDCG@10", "Metric"), ("nDCG@5", "Metric and cut-off")],
)
def test_a_change_of_metric_says_what_changes(small, metric, name):
    study, results = small({("", "P@10"): (0.1, 0.01), ("", metric[:3]): (0.1, 0.5)}, metrics=["P@10", metric])
    results.comparisons.loc[results.comparisons["metric_full"] == str(study.metrics[0]), ["p_adjusted"]] = 0.01
    assert kinds(study, results) == [(name, metric, "undecides")]


def test_a_change_of_gain_is_called_by_its_name(small):
    study, results = small({}, metrics=["nDCG@10", "nDCG(gain=exp)@10"])
    results.comparisons["p_adjusted"] = results.comparisons["metric"].str.contains("exp").map({True: 0.5, False: 0.01})
    results.summary.loc[results.summary["system"] == "A", "value"] = 0.9
    results.comparisons["difference"] = 0.1
    assert kinds(study, results) == [("Gain of the metric", "nDCG(gain=exp)@10", "undecides")]


def test_in_a_grid_single_changes_differ_in_one_decision_and_all_designs_are_counted(small):
    study, results = small(
        {
            ("", "P"): (0.1, 0.01),
            ("condensed", "P"): (-0.1, 0.01),
            ("reduced", "P"): (0.1, 0.01),
            ("condensed reduced", "P"): (0.1, 0.3),
        },
        combine="grid",
        vary={"view": ["full", "condensed"], "coverage": ["full", "reduced"]},
    )
    assert kinds(study, results) == [("Full or condensed rankings", "condensed", "contradicts")]
    (row,) = judge(study.own, results.summary, results.comparisons).robustness()
    assert (row["analyses"], row["agrees"], row["contradicts"], row["undecides"], row["decides"]) == (3, 1, 1, 1, 0)


def test_experiments_are_judged_beside_their_own_base(make_study, make_results, experiment):
    study = make_study(experiments={"Little": experiment})
    tables = make_results(study)
    rows = verdict_table(study, tables.summary, tables.comparisons)
    assert list(rows.columns) == TABLES["verdicts"].names
    little = rows[rows["dataset"] == "Little"]
    assert set(zip(little["system_a"], little["system_b"], strict=True)) == {("kNN", "Pop_1")}
    assert set(little["beside_base"]) == {"agrees"}
    assert len(rows) == len(
        tables.comparisons[(tables.comparisons["fold"] == "all") & (tables.comparisons["metric"] != "Unrated@10")]
    )


def test_without_comparisons_there_are_empty_tables(make_study, make_results):
    study = make_study(systems={"MF": "lab_plugins.Factors"}, published=[], published_comparisons=[])
    tables = make_results(study)
    verdicts = verdict_table(study, tables.summary, tables.comparisons.iloc[:0])
    assert list(verdicts.columns) == TABLES["verdicts"].names
    assert verdicts.empty
    assert changed_verdicts(experiment_verdicts(study, verdicts)) == []


def test_what_step_judge_writes_is_read_to_the_last_bit(make_study, make_results, experiment, tmp_path):
    study = make_study(experiments={"Little": experiment}, margin="1 %", combine="grid")
    tables = make_results(study)
    verdicts = verdict_table(study, tables.summary, tables.comparisons)
    write_frame(str(tmp_path / "verdicts.csv"), "verdicts", verdicts)
    read = read_table(tmp_path / "verdicts.csv", "verdicts")
    pd.testing.assert_frame_equal(read, verdicts, check_exact=True, check_dtype=False)
    for part, found in zip(study.all_experiments(), experiment_verdicts(study, read), strict=True):
        expected = judge(part, tables.summary, tables.comparisons)
        both = [column for column in verdicts if column in expected.rows]
        pd.testing.assert_frame_equal(found.rows[both], expected.rows[both], check_exact=True, check_dtype=False)
        assert found.robustness() == expected.robustness()


def test_equivalence_that_is_lost_or_found_changes_the_verdict(small):
    # Each interval reaches .02 to both sides; the margin is .05.
    found = {("", "P@10"): (0.0, 0.9), ("condensed", "P@10"): (0.04, 0.9), ("reduced", "P@10"): (0.01, 0.9)}
    study, results = small(found, margin=0.05, vary={"view": ["condensed"], "coverage": ["reduced"]})
    table = verdict_table(study, results.summary, results.comparisons)
    assert table["verdict"].tolist() == ["equivalent", "undecided", "equivalent"]
    assert table["beside_base"].tolist() == ["agrees", "undecides", "agrees"]
    turned = small({("", "P@10"): (0.04, 0.9), ("condensed", "P@10"): (0.0, 0.9)}, margin=0.05, vary={"view": ["condensed"]})
    assert [kind for *_, kind in kinds(*turned)] == ["decides"]


def test_analyses_in_which_the_systems_cannot_differ_are_in_no_count(small):
    found = {("", "P@10"): (0.1, 0.01), ("condensed", "P@10"): (0.0, 1.0), ("reduced", "P@10"): (0.1, 0.2)}
    study, results = small(found, vary={"view": ["condensed"], "coverage": ["reduced"]})
    comparisons = results.comparisons
    comparisons.loc[comparisons["view"] == "condensed", "uninformative"] = "every ranking has the same value"
    table = verdict_table(study, results.summary, comparisons)
    assert table["verdict"].tolist() == ["A wins", "uninformative", "undecided"]
    [verdicts] = experiment_verdicts(study, table)
    assert [(row["analyses"], row["distinct"], row["undecides"]) for row in verdicts.robustness()] == [(1, 1, 1)]
    assert [row["to"] for row in verdicts.changed()] == ["reduced"]
    assert len(verdicts.uninformative) == 1
    [pair] = stabilities(verdicts)
    assert [row["winner"] for row in pair.analyses] == ["A", ""]
    assert shortest_ways(verdicts)[0]["analyses"] == 2
    # Of three pairs of analyses, the one with the third analysis has no verdict to compare.
    assert [(row["decision"], row["compared"]) for row in influences(verdicts)] == [("Uncovered users", 1)]
