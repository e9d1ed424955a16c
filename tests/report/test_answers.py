"""The first screen says who wins under which of the conditions tried, and what to report."""

import re
from dataclasses import replace

import pytest

from recsens.conclusions.design_space import sweep
from recsens.conclusions.verdicts.verdict_table import judge
from recsens.report.glance import glances, initials
from recsens.report.sentences.answers import answers, unmoved
from recsens.report.sentences.evidence import over_all
from recsens.report.sentences.meaning import base_design_is
from recsens.report.sentences.options import condition, noun
from recsens.report.tables.leaders import leader_tables
from recsens.study.taxonomy import decision

SPLITS = ["random(ratio=0.2)", "random(ratio=0.4)", "random(ratio=0.6)", "random(ratio=0.8)"]
ALPHA = {"datasets": {"Alpha-1M": "lab_plugins.Ratings(name=alpha)"}, "published": [], "published_comparisons": []}
LOW = {"design": {"split": "random(ratio=0.2)"}, "vary": {"split": SPLITS[1:]}, "metrics": ["P@10"]}


def plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


@pytest.fixture
def judged(make_study, make_results):
    def make(**changes):
        study = make_study(**changes)
        tables = make_results(study)
        return [judge(part, tables.summary, tables.comparisons) for part in study.all_experiments()], tables

    return make


@pytest.mark.parametrize(
    ("places", "words"),
    [
        ([0], "with 20 % of the data in train"),
        ([0, 1], "with at most 40 % of the data in train"),
        ([2, 3], "with at least 60 % of the data in train"),
        ([1, 2], "with 40 % to 60 % of the data in train"),
        ([0, 3], "with 20 % or 80 % of the data in train"),
        ([0, 1, 3], "with at most 40 % or 80 % of the data in train"),
    ],
)
def test_a_range_holds_no_further_than_what_was_tried(places, words):
    tried = sweep(decision("split"), SPLITS, SPLITS[3])
    assert plain(condition(tried, [tried.options[place] for place in places])) == words


@pytest.mark.parametrize(
    ("key", "texts", "words", "what"),
    [
        ("view", ["full", "condensed"], "with condensed rankings", "kind of ranking"),
        ("repeats", ["1", "5"], "with number of repeats 5", "number of repeats"),
        ("split", ["leave_out(n=1)", "leave_out(n=5)"], "with split n 5", "split n"),
        ("targets", ["ar", "one_r"], "with targets one_r", "choice of target items"),
        ("split", ["k_fold_users(k=2)", "k_fold_users(k=3)"], "with split k 3", "split k"),
    ],
)
def test_options_are_named_where_they_are_no_shares_of_the_data(key, texts, words, what):
    tried = sweep(decision(key), texts, texts[0])
    text = condition(tried, [tried.options[1]])
    assert (text.partition("(")[0], noun(tried)) == (words, what)


def test_a_pair_is_answered_by_systems_and_condition_with_what_to_report(judged):
    verdicts, _ = judged(**ALPHA, **LOW)
    [answer] = answers(verdicts)
    assert plain(answer.finding) == (
        "kNN beats MF on P@10 with at most 40 % of the data in train; MF wins with 80 %. "
        "With 60 %, the difference is not significant."
    )
    assert answer.advice == "Report results for more than one split ratio."
    assert unmoved(verdicts) == ["In every analysis, kNN and MF beat Pop_1."]


def test_significance_alone_asks_for_a_statement_and_data_sets_are_named_where_there_are_several(judged):
    verdicts, _ = judged(**LOW)
    first, second = answers(verdicts)
    assert first.finding.startswith("On Alpha-1M, kNN beats MF")
    assert plain(second.finding) == (
        "On Beta_2, kNN beats MF on P@10 with 20 % of the data in train. With at least 40 %, the difference is not significant."
    )
    assert second.advice == "When you report this, say which split ratio you used."


def test_further_decisions_and_metrics_follow_in_the_same_answer(judged):
    # With condensed rankings MF wins on P@10, and on nDCG@10 nobody does.
    verdicts, _ = judged(**ALPHA, design={"split": "random(ratio=0.2)"}, vary={"view": ["condensed"]}, metrics=["P@10", "nDCG@10"])
    rows = verdicts[0].rows
    pair = (rows["system_a"] == "kNN") & (rows["system_b"] == "MF")
    rows.loc[pair & (rows["view"] == "condensed"), ["winner", "beside_base"]] = ["MF", "contradicts"]
    other = pair & rows["is_base"] & ~rows["is_base_metric"]
    rows.loc[other, ["winner", "beside_base", "p_adjusted"]] = ["", "undecides", 0.4]
    [answer] = answers(verdicts)
    assert answer.finding == (
        "kNN beats MF on P@10 with full rankings; MF wins with condensed rankings. "
        "If only the metric changes, the difference is not significant on nDCG@10. "
        "Of 4 analyses (each metric under each design), kNN wins 1, MF wins 2 and 1 has no winner."
    )
    assert answer.advice == "Report results for more than one kind of ranking, and say which metric you used."


def test_a_winner_of_several_changes_together_is_not_hidden(judged):
    grid = {"combine": "grid", "vary": {"split": SPLITS[:2], "view": ["full", "condensed"]}}
    verdicts, _ = judged(**ALPHA, design={"split": SPLITS[0]}, metrics=["P@10"], **grid)
    rows = verdicts[0].rows
    both = (rows["system_a"] == "kNN") & (rows["system_b"] == "MF") & (rows["n_changed"] == 2)
    rows.loc[both, ["winner", "beside_base"]] = ["MF", "contradicts"]
    [answer] = answers(verdicts)
    assert re.fullmatch(
        r"kNN beats MF on P@10 under the base design, and also when any single decision changes\. "
        r"With \d+\s% of the data in train and condensed rankings, MF wins\. "
        r"Of 4 analyses \(each metric under each design\), kNN wins 3 and MF wins 1\.",
        answer.finding,
    )
    assert answer.advice == "Report results for more than one design."


def test_every_pair_and_option_stands_at_a_glance(judged):
    [glance] = glances(judged(**ALPHA, **LOW)[0][0])
    [strip] = glance.strips
    [(title, options)] = strip.groups
    assert (title, [plain(label) for label, is_base in options]) == ("Data in train", ["20 %", "40 %", "60 %", "80 %"])
    assert [is_base for _, is_base in options] == [True, False, False, False]
    [line] = strip.open
    assert [(mark.name, mark.kind) for mark in line.marks] == [("kNN", "won")] * 2 + [("–", "open"), ("MF", "against")]
    assert plain(line.marks[3].words) == "MF wins, p < .001"
    assert [line.systems for line in strip.folded] == [("kNN", "Pop_1"), ("MF", "Pop_1")]
    assert glance.legend == ()


def test_many_options_are_broken_into_strips_that_fit_a_sheet(judged):
    ratios = [f"random(ratio={share / 100})" for share in range(20, 40)]
    [glance] = glances(judged(**ALPHA, design=LOW["design"], vary={"split": ratios[1:]}, metrics=["P@10", "nDCG@10"])[0][0])
    assert [[len(options) for _, options in strip.groups] for strip in glance.strips] == [[14], [6, 2]]


def test_short_names_are_unique_whatever_the_labels():
    labels = ["LM-WSR-UB", "LM-WSR-IB", "MF", "MF as printed", "Mfx-y", "aaaaa", "aaaaaa", "aaaaaaa", "日本語の推薦", "–––––"]
    names = initials(labels)
    assert len(set(names.values())) == len(labels)
    assert max(map(len, names.values())) < 9


def test_the_score_table_opens_with_the_best_and_says_how_far_the_others_are_behind(judged):
    verdicts, tables = judged(**ALPHA, **LOW)
    [table] = leader_tables(verdicts[0], tables.summary)
    assert [row.label for row in table.groups[0].rows] == ["kNN", "MF", "Pop_1"]
    assert [*map(plain, table.columns)] == ["P@10", "gap to kNN (P@10)", "95 % CI", "p"]
    assert [cell.text for cell in table.groups[0].rows[1].cells] == [".390", ".038", ".028 to .048", "< .001"]
    assert table.groups[0].rows[0].cells[0].is_best


def test_wins_are_counted_again_after_a_correction_over_all_comparisons(judged):
    verdicts, _ = judged(**ALPHA, **LOW)
    said = "Of 12 distinct comparisons tested, 11 have a winner; all of these wins remain significant if p is corrected for all 12 "
    assert over_all(verdicts).startswith(said)
    verdicts[0].rows.loc[verdicts[0].rows["p_value"] > 1e-9, "p_value"] = 0.04
    assert "8 of these wins remain" in over_all(verdicts)
    assert over_all(judged(**ALPHA, design=LOW["design"], vary={}, metrics=["P@10"], compare=[["kNN", "MF"]])[0]) == ""


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"vary": {}}, "This study varies none of these choices."),
        ({}, "Then the study changes one decision at a time, and keeps all others."),
        ({"combine": "grid"}, "Then the study tries other choices, in every combination."),
    ],
)
def test_the_first_line_says_what_a_base_design_is(make_study, experiment, changes, said):
    first = "A study starts from its base design: one choice for every decision, from the data to the significance test."
    assert base_design_is(make_study(**changes)) == f"{first} {said}"
    several = make_study(**changes, experiments={"Little": {**experiment, "vary": {}, "dataset": "Alpha-1M"}})
    assert base_design_is(several) == f"{first} {said} Each experiment has its own base design."


def test_ways_to_vary_are_told_together(make_study, experiment):
    study = make_study(combine="grid", experiments={"Little": {**experiment, "combine": "one_at_a_time", "dataset": "Alpha-1M"}})
    assert "one at a time or in every combination" in base_design_is(study)


def test_folded_pairs_are_alike_only_if_no_result_of_any_changes(judged):
    [glance] = glances(judged(**ALPHA, **LOW)[0][0])
    [strip] = glance.strips
    assert strip.folded
    assert glance.is_folded_alike
    assert not replace(glance, strips=(replace(strip, folded=(*strip.folded, *strip.open)),)).is_folded_alike
