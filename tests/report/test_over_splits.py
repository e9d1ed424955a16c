"""Next to p, the report says what p takes as fixed, marks wins that other splits may not support, and shows values."""

from dataclasses import replace

import pytest

from invented import rejudged
from recsens.conclusions.verdicts.pairs import experiment_verdicts
from recsens.conclusions.verdicts.verdict_table import verdict_table
from recsens.report.glance import glances
from recsens.report.page_content import leader_tables
from recsens.report.sentences.answers import answers, unmoved_pairs
from recsens.report.sentences.best import base_sentences
from recsens.report.sentences.contradictions import contradictions
from recsens.report.sentences.evidence import over_splits
from recsens.report.tables.of_dataset import comparison_table

LONE = {
    "datasets": {"Alpha-1M": "lab_plugins.Ratings(name=alpha)"},
    "metrics": ["P@10"],
    "systems": {"kNN": "lab_plugins.Neighbours", "MF": "lab_plugins.Factors"},
    "published": [],
    "published_comparisons": [],
}


NAN = float("nan")


@pytest.fixture
def judged(make_study, make_results):
    """Judge a study of two systems, in which kNN wins with few train ratings and MF with many."""

    def make(*, resampled_p=0.001, value_difference=None, repeats=5, ratios=(0.2, 0.8), adjusted=None, correction="none"):
        base, *others = (f"random(ratio={ratio})" for ratio in ratios)
        study = make_study(
            **LONE, design={"split": base, "repeats": repeats, "correction": correction}, vary={"split": others} if others else {}
        )
        tables = make_results(study)
        pooled = tables.comparisons["fold"] == "all"
        changed = tables.comparisons.copy()
        changed.loc[pooled, "resampled_p"] = resampled_p if repeats > 1 else float("nan")
        if value_difference is not None:
            changed.loc[pooled, "value_difference"] = value_difference
        if adjusted is not None:
            changed.loc[pooled, "p_adjusted"] = adjusted
        tables = rejudged(study, tables.with_tables(comparisons=changed))
        return study, experiment_verdicts(study, tables.verdicts), tables

    return make


def test_a_run_says_for_which_splits_its_p_values_hold_and_counts_wins_that_others_might_not_show(judged, approved):
    """With two splits, t has one degree of freedom, whose 97.5 % point is tan(.475 pi) = 12.7."""
    three = {"ratios": (0.1, 0.2, 0.8)}
    asked = {
        "every win": {},
        "one split": {"repeats": 1},
        "no win": {"adjusted": 0.2},
        "one of two": {"resampled_p": [0.12, 0.01]},
        "one of two, corrected": {"resampled_p": [0.12, 0.01], "correction": "holm"},
        "two splits": {"repeats": 2, "resampled_p": [0.12, 0.01]},
        "one tested, confirmed": {**three, "resampled_p": [NAN, 0.01, NAN]},
        "two tested, confirmed": {**three, "resampled_p": [0.02, 0.01, NAN]},
        "one tested, doubted": {**three, "resampled_p": [0.12, NAN, NAN]},
        "two tested, one doubted": {**three, "resampled_p": [0.12, 0.01, NAN]},
        "none tested": {**three, "resampled_p": [NAN, NAN, NAN]},
    }
    approved({name: over_splits(judged(**changes)[1]) for name, changes in asked.items()})


def test_folds_that_follow_each_other_are_not_called_draws_of_a_split(judged):
    rolling = [replace(each, rows=each.rows.assign(split="rolling(windows=5)", repeats="1")) for each in judged(ratios=(0.2,))[1]]
    assert over_splits(rolling).replace("\N{NO-BREAK SPACE}", " ") == (
        "p-values generalise to other users, not to other periods. Every win is also significant over other periods (resampled "
        "p < .05, from 5 successive folds with 4 degrees of freedom)."
    )


def test_answers_and_sentences_about_wins_over_other_splits(judged, approved):
    three = (0.1, 0.2, 0.8)
    asked = {
        "base confirmed": {"ratios": three, "resampled_p": [NAN, 0.12, 0.01]},
        "base doubted": {"ratios": three, "resampled_p": [0.12, NAN, 0.01]},
        "never changes": {"ratios": (0.1, 0.2), "resampled_p": [0.12, NAN]},
        "never changes, all tested": {"ratios": (0.1, 0.2), "resampled_p": [0.12, 0.01]},
        "corrected": {"resampled_p": [0.12, 0.01], "correction": "holm"},
        "both significant": {"adjusted": 0.00006, "resampled_p": 0.01},
        "only over splits": {"adjusted": 0.2, "resampled_p": 0.01},
        "neither": {"adjusted": 0.2, "resampled_p": 0.3},
    }
    told = {}
    for name, changes in asked.items():
        study, verdicts, tables = judged(**changes)
        found = [*(answer.finding for answer in answers(verdicts)), *unmoved_pairs(verdicts)]
        told[name] = [*found, *base_sentences(verdicts[0], tables.summary), *leader_tables(verdicts[0], tables.summary)]
        if name == "corrected":
            told[name] += [comparison_table(study.own, tables.comparisons, tables.verdicts, "Alpha-1M")]
    approved(told)


def test_without_a_p_value_nothing_is_said_of_splits(judged):
    assert over_splits(judged(adjusted=float("nan"))[1]) == ""


def test_an_answer_a_contradiction_and_the_picture_name_the_win_that_is_doubted(judged, approved):
    _, first, tables = judged(resampled_p=[0.12, 0.01])
    _, verdicts, _ = judged(resampled_p=[0.01, 0.12])
    marks = glances(verdicts[0])[0].strips[0].open[0].marks
    [table] = leader_tables(judged(resampled_p=0.12)[1][0], tables.summary)
    approved(
        {
            "first": [answer.finding for answer in answers(first)],
            "second": [answer.finding for answer in answers(verdicts)],
            "contradiction": contradictions(verdicts)[0].against[0],
            "mark": marks[1].words,
            "leaders": table,
        }
    )
    assert [mark.is_doubted for mark in marks] == [False, True]
    assert [glances(found[0])[0].is_doubted for found in (verdicts, judged()[1])] == [True, False]


def test_the_row_of_a_verdict_holds_both_p_values_and_both_differences(judged):
    study, _, tables = judged(resampled_p=0.12, value_difference=0.041)
    rows = verdict_table(study, tables.summary, tables.comparisons)
    assert set(rows["resampled_p"]) == {0.12}
    assert set(rows["value_difference"]) == {0.041}
    assert rows["hypothesis"].str.startswith("for these splits and fits, ").all()


def test_the_difference_of_the_printed_values_stands_beside_the_one_that_is_tested_where_it_is_printed_otherwise(judged, approved):
    study, verdicts, tables = judged(ratios=(0.2,), value_difference=0.041)
    table = comparison_table(study.own, tables.comparisons, tables.verdicts, "Alpha-1M")
    leaders = leader_tables(verdicts[0], tables.summary)
    _, turned, _ = judged(value_difference=[0.038, -0.05])
    approved([*base_sentences(verdicts[0], tables.summary), contradictions(turned)[0].against[0], table, *leaders])


def test_equal_differences_are_printed_once(judged):
    study, verdicts, tables = judged(ratios=(0.2,))
    assert "the two scores differ" not in base_sentences(verdicts[0], tables.summary)[0]
    assert "of values" not in comparison_table(study.own, tables.comparisons, tables.verdicts, "Alpha-1M").columns
