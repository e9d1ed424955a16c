"""Analyses with the same numbers under two names count as evidence only once, and the report says which they are."""

import numpy as np
import pandas as pd
import pytest

from invented import rejudged
from recsens.conclusions.verdicts.pairs import changed_verdicts, count_analyses, experiment_verdicts
from recsens.conclusions.verdicts.verdict_table import judge, original_analyses, verdict_table
from recsens.report.figures.specification_curve import trace_curves
from recsens.report.sentences.contradictions import contradictions
from recsens.report.sentences.headline import headline
from recsens.report.tables.verdicts import changed_table, copies_table, robustness_table

ONE = {
    "datasets": {"D": "lab_plugins.Ratings"},
    "systems": {"A": "lab_plugins.Factors", "B": "lab_plugins.Popular"},
    "design": {},
    "published": [],
    "published_comparisons": [],
}
PAIR = ("dataset", "system_a", "system_b")


@pytest.fixture
def twins(make_study, make_results):
    """Invent a study of A and B by P and RR, full and condensed, in which RR has the numbers of P."""

    def make(condensed: float, **changes: object) -> tuple:
        study = make_study(**{**ONE, "metrics": ["P@10", "RR@10"], "vary": {"view": ["condensed"]}, **changes})
        tables = make_results(study)
        summary, tests = tables.summary.copy(), tables.comparisons.copy()
        for view, difference in (("full", 0.1), ("condensed", condensed)):
            summary.loc[(summary["view"] == view) & (summary["system"] == "A"), "value"] = 0.5 + difference
            summary.loc[(summary["view"] == view) & (summary["system"] == "B"), "value"] = 0.5
            rows = tests["view"] == view
            tests.loc[rows, ["difference", "low", "high"]] = [difference, difference - 0.02, difference + 0.02]
            tests.loc[rows, ["effect", "p_value", "p_adjusted"]] = [5 * difference, 0.001, 0.001]
            tests.loc[rows, "digest"] = view
        return study, rejudged(study, tables.with_tables(summary=summary, comparisons=tests))

    return make


def judged(found: tuple):
    study, results = found
    return judge(study.own, results.summary, results.comparisons)


def same(rows: list[tuple], changes: list[int] | None = None) -> list[int]:
    """Return which row represents each, given digest, difference of values, direction and p-value."""
    digest, gaps, signs, p = (list(column) for column in zip(*rows, strict=True))
    table = pd.DataFrame(dict.fromkeys(PAIR, "x"), index=range(len(rows)))
    table = table.assign(digest=digest, difference=0.1, low=0.1, high=np.nan, p_value=p, p_adjusted=p)
    return original_analyses(table, PAIR, np.array(gaps), np.array(signs), np.array(changes or [0] * len(rows))).tolist()


def test_what_rests_on_the_same_differences_and_says_the_same_is_one():
    assert same([("a", 0.1, 1, 0.02), ("b", 0.1, 1, 0.02), ("a", 0.1 + 1e-15, 1, 0.02)]) == [0, 1, 0]


def test_another_difference_of_values_another_direction_or_another_p_is_another_analysis():
    assert same([("a", 0.1, 1, 0.02), ("a", 0.2, 1, 0.02), ("a", 0.1, -1, 0.02), ("a", 0.1, 1, 0.03)]) == [0, 1, 2, 3]


def test_numbers_up_to_a_constant_factor_are_one():
    # P@10 and R@10 under 1R, and twice the gap beside the same estimate and limits, as of another aggregate.
    p, p_value = np.array([0.01 / 3, 0.01 / 3, -0.002, 0.02]), 0.02
    factors, digests = [1, 10, -1, 10], ["a"] * 4
    rows = np.array([factor * p for factor in factors])
    rows[3, 0] *= 2
    table = pd.DataFrame(dict.fromkeys(PAIR, "x"), index=range(4)).assign(digest=digests, p_value=p_value, p_adjusted=p_value)
    table[["difference", "low", "high"]] = rows[:, 1:]
    assert original_analyses(table, PAIR, rows[:, 0], np.ones(4), np.zeros(4, dtype=np.int64)).tolist() == [0, 0, 2, 3]


def test_of_the_same_numbers_the_analysis_that_changes_least_stands_for_all():
    assert same([("a", 0.1, 1, 0.5)] * 4, [2, 1, 3, 1]) == [1, 1, 1, 1]


def test_missing_numbers_are_the_same_where_the_digest_is():
    nan = float("nan")
    assert same([("a", nan, 1, nan), ("a", nan, 1, nan), ("b", nan, 1, nan)]) == [0, 0, 2]


def test_copies_count_once_among_all_analyses(twins):
    found = judged(twins(-0.1))
    [row] = found.robustness()
    # P full is the base; RR full has its numbers, RR condensed those of P condensed.
    assert (row["analyses"], row["distinct"], row["agrees"], row["contradicts"]) == (3, 1, 0, 1)
    table = robustness_table([row])
    assert [cell.text for cell in table.groups[0].rows[0].cells] == ["A wins", "3", "1", "0", "1", "0", "0"]


def test_what_is_said_of_copies(twins, printed, approved):
    study, results = twins(-0.1)
    found, alone = judged((study, results)), judged(twins(0.1, vary={}))
    [contradiction] = contradictions([found])
    approved(
        {
            "headline": headline([found]),
            "every other analysis is a copy": [headline([alone]), robustness_table(alone.robustness())],
            "contradiction": [*contradiction.against, contradiction.counts],
            "table": [table for table in printed(study, results) if table.key == "same-numbers"],
            "counts": [count_analyses(31, 22), count_analyses(4, 4), count_analyses(1, 1)],
        }
    )


def test_a_study_without_copies_says_nothing_of_them(study, results):
    found = judge(study.own, results.summary, results.comparisons)
    assert "distinct" not in headline([found])
    assert copies_table(found.copied()).is_empty
    assert all(row["analyses"] == row["distinct"] for row in found.robustness())


def test_a_verdict_turned_twice_by_the_same_numbers_is_listed_once_with_both_names(twins):
    study, results = twins(-0.1, vary={"view": ["condensed"], "coverage": ["reduced"]})
    tests = results.comparisons
    turned = tests["coverage"] == "reduced"
    columns = ["difference", "low", "high", "effect", "digest"]
    tests.loc[turned, columns] = tests.loc[tests["view"] == "condensed", columns].to_numpy()
    summary = results.summary
    summary.loc[(summary["coverage"] == "reduced") & (summary["system"] == "A"), "value"] = 0.4
    [row] = changed_verdicts(experiment_verdicts(study, verdict_table(study, summary, tests)))
    assert (row["decision"], row["to"], row["also"]) == ("Full or condensed rankings", "condensed", "Uncovered users reduced")
    table = changed_table(study, [row])
    assert table.groups[0].rows[0].cells[2].extra == "(also Uncovered users reduced)"


def test_verdicts_name_the_analysis_whose_numbers_they_are(twins):
    study, results = twins(-0.1)
    table = verdict_table(study, results.summary, results.comparisons)
    assert table["same_as"].tolist() == ["", "P@10 under the base design", "", "P@10 under view condensed"]


def test_the_curve_draws_copies_once_with_the_choices_of_all_of_them(twins):
    study, results = twins(-0.1)
    [curve] = trace_curves(results.summary, judge(study.own, results.summary, results.comparisons), ["D"])
    assert (len(curve.effects), curve.n_analyses) == (2, 4)
    view, metric = curve.choices
    assert (view.labels, view.taken.tolist()) == (("full", "condensed"), [[False, True], [True, False]])
    assert (metric.labels, metric.taken.tolist()) == (("P", "RR"), [[True, True], [True, True]])
