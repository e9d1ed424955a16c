"""Tables say if systems tie, if no test covers an aggregate, and if a metric ignores a varied decision."""

import pandas as pd
import pytest

from invented import rejudged
from recsens.conclusions.verdicts.best import base_standings, order_systems
from recsens.conclusions.verdicts.verdict_table import judge, verdict_table
from recsens.report.sentences.best import base_sentences
from recsens.report.sentences.meaning import hypotheses, hypothesis_of_study
from recsens.report.tables.coverage import design_sets
from recsens.report.tables.of_dataset import result_table, sweep_table

ALPHA = {"datasets": {"Alpha-1M": "lab_plugins.Ratings"}, "published": [], "published_comparisons": [], "vary": {}}


@pytest.fixture
def valued(make_study, make_results):
    """Invent a study whose systems have given values, and pairs given p-values."""

    def make(values: dict[str, float], p: dict[tuple[str, str], float] | None = None, **changes: object):
        study = make_study(**{**ALPHA, "metrics": ["P@10"], **changes})
        tables = make_results(study)
        summary, tests = tables.summary, tables.comparisons
        summary["value"] = summary["system"].map(values)
        for (a, b), p_value in (p or {}).items():
            tests.loc[(tests["system_a"] == a) & (tests["system_b"] == b), ["p_value", "p_adjusted"]] = p_value
        return study, summary, tests

    return make


def last_cell(study, summary, tests) -> str:
    return result_table(study.own, summary, verdict_table(study, summary, tests), "Alpha-1M").groups[0].rows[0].cells[-1].text


def sentence(study, summary, tests) -> str:
    [sentence] = base_sentences(judge(study.own, summary, tests), summary)
    return sentence.replace("\N{NO-BREAK SPACE}", " ")


def test_values_that_differ_by_rounding_alone_stand_together():
    values = {"A": 0.1 + 0.2, "B": 0.3, "C": float("nan"), "D": 0.4, "E": 0.1}
    assert order_systems(values, 1) == [["D"], ["A", "B"], ["E"]]
    assert order_systems(values, -1) == [["E"], ["A", "B"], ["D"]]


def test_where_several_systems_are_first_there_is_no_p_value_and_all_are_bold(valued):
    study, summary, tests = valued({"kNN": 0.4, "MF": 0.4, "Pop_1": 0.1}, {("kNN", "MF"): 0.0001})
    table = result_table(study.own, summary, verdict_table(study, summary, tests), "Alpha-1M")
    assert [cell.text for cell in table.groups[0].rows[0].cells] == [".400", ".400", ".100", "tie"]
    assert [cell.is_best for cell in table.groups[0].rows[0].cells] == [True, True, False, False]
    assert any(note.startswith("Tie: several systems share the best value") for note in table.notes)


def test_where_several_systems_are_second_the_largest_p_value_stands(valued):
    tables = valued({"kNN": 0.5, "MF": 0.4, "Pop_1": 0.4}, {("kNN", "MF"): 0.01, ("kNN", "Pop_1"): 0.04})
    assert last_cell(*tables) == ".040"
    assert "kNN beats Pop_1" in sentence(*tables)


def test_systems_of_equal_value_do_not_beat_one_another_whatever_their_p_value(valued):
    # Medians of users' values are often equal although the means of the users' differences are not zero.
    tables = valued({"kNN": 0.4, "MF": 0.4, "Pop_1": 0.1}, {("kNN", "MF"): 0.0001}, design={"aggregate": "median"})
    assert sentence(*tables) == "On Alpha-1M, kNN and MF tie on P@10 under the base design: both have .400."
    study, summary, tests = tables
    [standings] = base_standings(judge(study.own, summary, tests), summary)
    assert standings.tied == ("kNN", "MF")
    assert not standings.is_decided


def test_all_systems_that_are_first_are_named(valued):
    assert sentence(*valued({"kNN": 0.0, "MF": 0.0, "Pop_1": 0.0})).endswith(
        ", kNN, MF and Pop_1 tie on P@10 under the base design: all have 0."
    )


def test_a_difference_that_is_not_of_the_values_says_what_it_is_of(valued):
    p = {("kNN", "MF"): 0.0001}
    assert " by .005 (95 %" in sentence(*valued({"kNN": 0.5, "MF": 0.4, "Pop_1": 0.1}, p, design={"split": "random(ratio=0.5)"}))
    tables = valued({"kNN": 0.5, "MF": 0.4, "Pop_1": 0.1}, p, design={"split": "random(ratio=0.5)", "aggregate": "median"})
    assert " by .005 in the mean of the users' differences (95 %" in sentence(*tables)


def test_a_test_that_does_not_word_its_hypothesis_is_named():
    rows = pd.DataFrame({"p_value": [0.1], "hypothesis": ["for this split and fit, that of lab.Test, on the users' differences"]})
    said = "For this split and fit, the null hypothesis is that of lab.Test, on the users' differences."
    assert hypotheses({"base": rows}) == [said]
    assert hypothesis_of_study(rows) == said


def test_where_hypotheses_differ_between_designs_each_is_named_with_its_design(make_study, make_results):
    study = make_study(**{**ALPHA, "vary": {"test": ["sign"]}})
    tables = make_results(study)
    tests = tables.comparisons
    tests.loc[tests["test"] == "sign", "hypothesis"] = "for this split and fit, as many are above 0 as below"
    [shown] = design_sets(study.own, tables.summary)
    notes = sweep_table(study.own, shown, tables.summary, rejudged(study, tables).verdicts, "Alpha-1M").notes
    assert [note for note in notes if "null hypothesis" in note] == [
        (
            f"Under {next(iter(shown.designs))}, for these splits and fits, the null hypothesis is that "
            "the mean of the users' differences is 0."
        ),
        f"Under {list(shown.designs)[1]}, for this split and fit, the null hypothesis is that as many are above 0 as below.",
    ]


def test_metrics_that_ignore_what_varies_are_marked_in_table_and_figure(make_study, make_results, draw):
    study = make_study(**{**ALPHA, "metrics": ["P@10", "nDCG(gain=exp)@10"], "vary": {"relevance": [3, 5]}})
    tables = make_results(study)
    [shown] = design_sets(study.own, tables.summary)
    table = sweep_table(study.own, shown, tables.summary, tables.verdicts, "Alpha-1M")
    assert [group.title for group in table.groups] == ["P@10", "nDCG(gain=exp)@10, which ignores relevance"]
    assert (
        "Metrics that ignore relevance have, by definition, the same numbers with every option, so these metrics say nothing about "
        "this decision." in table.notes
    )
    figure = draw("relevance", study.own, tables.summary, tables.verdicts)
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert [title.endswith("\nignores relevance") for title in titles] == [False, True]
