"""The first screen says who wins under which of the conditions tried, and what to report."""

from dataclasses import replace

import pytest

from recsens.conclusions.design_space import sweep
from recsens.conclusions.verdicts.verdict_table import judge
from recsens.report.glance import glances, initials
from recsens.report.page_content import leader_tables
from recsens.report.sentences.answers import answers, unmoved_pairs
from recsens.report.sentences.evidence import holm_sentence
from recsens.report.sentences.meaning import base_design_is
from recsens.report.sentences.options import condition, noun
from recsens.report.sentences.turning import what_would_turn
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


def test_conditions_hold_no_further_than_what_was_tried(approved):
    tried = sweep(decision("split"), SPLITS, SPLITS[3])
    ranges = ([0], [0, 1], [2, 3], [1, 2], [0, 3], [0, 1, 3])
    told = [condition(tried, [tried.options[place] for place in places]) for places in ranges]
    others = {
        "view": ["full", "condensed"],
        "repeats": ["1", "5"],
        "split": ["leave_out(n=1)", "leave_out(n=5)"],
        "targets": ["ar", "one_r"],
        "ties": ["random", "high_index"],
        "test": ["t", "wilcoxon"],
        "relevance": ["scale", "3"],
        "users": ["with_ratings", "with_ratings(train=0,test=1)"],
    }
    for key, texts in others.items():
        options = sweep(decision(key), texts, texts[0])
        told += [f"{noun(options)}: {condition(options, options.options[1:])}; of both: {condition(options, options.options)}"]
    approved(told)


def test_answers_name_systems_and_conditions_with_what_to_report(judged, make_study, approved):
    """A condition, significance alone, a further metric under condensed rankings, and several changes together."""
    one, tables = judged(**ALPHA, **LOW)
    two, _ = judged(**LOW)
    design = {"split": SPLITS[0]}
    content = {**ALPHA, "design": design, "vary": {"view": ["condensed"]}, "metrics": ["P@10", "nDCG@10"]}
    further, further_tables = judged(**content)
    rows = further[0].rows
    pair = (rows["system_a"] == "kNN") & (rows["system_b"] == "MF")
    rows.loc[pair & (rows["view"] == "condensed"), ["winner", "beside_base"]] = ["MF", "contradicts"]
    other = pair & rows["is_base"] & ~rows["is_base_metric"]
    rows.loc[other, ["winner", "beside_base", "p_adjusted"]] = ["", "undecides", 0.4]
    grid = {"combine": "grid", "vary": {"split": SPLITS[:2], "view": ["full", "condensed"]}}
    together, together_tables = judged(**ALPHA, design=design, metrics=["P@10"], **grid)
    rows = together[0].rows
    both = (rows["system_a"] == "kNN") & (rows["system_b"] == "MF") & (rows["n_changed"] == 2)
    rows.loc[both, ["winner", "beside_base"]] = ["MF", "contradicts"]
    studies = {"a condition": one, "two data sets": two, "a further metric": further, "changes together": together}
    found = {name: [(answer.finding, answer.advice) for answer in answers(verdicts)] for name, verdicts in studies.items()}
    turning = [*what_would_turn(make_study(**ALPHA, **LOW), one, tables)]
    turning += what_would_turn(make_study(**content), further, further_tables)
    turning += what_would_turn(make_study(**ALPHA, design=design, metrics=["P@10"], **grid), together, together_tables)
    approved({**found, "unmoved": unmoved_pairs(one), "what would turn it": turning})


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


def test_wins_are_counted_again_after_a_correction_over_all_comparisons(judged, approved):
    verdicts, tables = judged(**ALPHA, **LOW)
    before = holm_sentence(verdicts)
    told = leader_tables(verdicts[0], tables.summary)
    verdicts[0].rows.loc[verdicts[0].rows["p_value"] > 1e-9, "p_value"] = 0.04
    approved([before, holm_sentence(verdicts), *told])
    assert holm_sentence(judged(**ALPHA, design=LOW["design"], vary={}, metrics=["P@10"], compare=[["kNN", "MF"]])[0]) == ""


def test_the_first_line_says_what_a_base_design_is(make_study, experiment, approved):
    little = {"Little": {**experiment, "dataset": "Alpha-1M"}}
    alone = {"Little": {**experiment, "vary": {}, "dataset": "Alpha-1M"}}
    studies = {
        "nothing varies": {"vary": {}},
        "one at a time": {},
        "a grid": {"combine": "grid"},
        "an experiment": {"experiments": alone},
        "both ways": {"combine": "grid", "experiments": {"Little": {**little["Little"], "combine": "one_at_a_time"}}},
    }
    approved({name: base_design_is(make_study(**changes)) for name, changes in studies.items()})


def test_folded_pairs_are_alike_only_if_no_result_of_any_changes(judged):
    [glance] = glances(judged(**ALPHA, **LOW)[0][0])
    [strip] = glance.strips
    assert strip.folded
    assert glance.is_folded_alike
    assert not replace(glance, strips=(replace(strip, folded=(*strip.folded, *strip.open)),)).is_folded_alike
