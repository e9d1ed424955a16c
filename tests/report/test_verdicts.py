"""The best system under a design follows from its comparisons, and is always named with the number."""

import numpy as np
import pytest

from recsens.conclusions.verdicts.best import base_standings, standings
from recsens.conclusions.verdicts.pairs import of_all_experiments
from recsens.conclusions.verdicts.verdict_table import judge, verdict_table
from recsens.outcomes.winner import NOBODY, Decided
from recsens.report.figure_style import PAPER
from recsens.report.figures.specification_curve import curves
from recsens.report.sentences.best import base_sentence, base_sentences
from recsens.report.sentences.evidence import interval_name
from recsens.report.sentences.headline import headline

OPEN = "random(ratio=0.5)"


def plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


def at_base(study, summary, comparisons):
    return base_standings(judge(study.own, summary, comparisons), summary)


def pick(listed, dataset, short):
    return next(standings for standings in listed if standings.dataset == dataset and standings.metric.startswith(short))


@pytest.fixture
def listed(study, results):
    return at_base(study, results.summary, results.comparisons)


def test_each_data_set_and_metric_that_ranks_has_standings(listed):
    assert [(v.dataset, v.metric[0]) for v in listed] == [("Alpha-1M", "P"), ("Alpha-1M", "n"), ("Beta_2", "P"), ("Beta_2", "n")]


def test_an_undecided_base_is_called_undecided_with_its_numbers(study, listed):
    assert plain(base_sentence(study.own, pick(listed, "Alpha-1M", "P@"))) == (
        "On Alpha-1M, kNN's lead over MF on P@10, .005, is not significant under the base design "
        "(95 % CI −.005 to .015, p = .223 for these splits and fits, 943 users)."
    )


def test_a_decided_base_names_the_winner(make_study, make_results):
    study = make_study(design={"split": "random(ratio=0.2)", "repeats": 2})
    tables = make_results(study)
    standings = pick(at_base(study, tables.summary, tables.comparisons), "Alpha-1M", "P@")
    assert plain(base_sentence(study.own, standings)) == (
        "On Alpha-1M, kNN beats MF on P@10 under the base design, by .038 (95 % CI .028 to .048, p < .001 for these splits and "
        "fits, 943 users)."
    )


def test_the_p_value_is_the_adjusted_one(study, results):
    adjusted = results.comparisons.assign(p_adjusted=0.5)
    standings = pick(at_base(study, results.summary, adjusted), "Alpha-1M", "P@")
    assert standings.top.p_value == 0.5


def test_a_pair_that_was_not_compared_is_not_decided(make_study, make_results):
    study = make_study(compare=[["kNN", "Pop_1"]], published_comparisons=[])
    tables = make_results(study)
    standings = pick(at_base(study, tables.summary, tables.comparisons), "Alpha-1M", "P@")
    sentence = base_sentence(study.own, standings)
    assert sentence.startswith(f"On Alpha-1M, {standings.top.first} is ahead of {standings.top.second} on P@")
    assert sentence.endswith("the two were not tested.")


def test_averages_over_other_users_than_those_compared_are_told_apart(make_study, make_results):
    # Reduced averages are over each system's own users, comparisons over those that both cover.
    study = make_study(design={"split": "random(ratio=0.2)", "repeats": 2}, vary={"split": [OPEN]})
    tables = make_results(study)
    pair = (tables.comparisons["system_a"] == "kNN") & (tables.comparisons["system_b"] == "MF")
    tables.comparisons.loc[pair, ["difference", "low", "high", "p_adjusted"]] = [-0.02, -0.03, -0.01, 0.04]
    standings = pick(at_base(study, tables.summary, tables.comparisons), "Alpha-1M", "P@")
    assert plain(base_sentence(study.own, standings)) == (
        "On Alpha-1M, neither kNN nor MF wins on P@10 under the base design: kNN has the better average, "
        "but among the users compared, MF is ahead by .020 (95 % CI .010 to .030, p = .040 for these splits and fits, "
        "943 users; this is the tested difference, and the two scores differ by −.038)."
    )


def test_a_single_system_has_no_standings(make_study, make_results):
    study = make_study(systems={"MF": "lab_plugins.Factors"}, published=[], published_comparisons=[])
    tables = make_results(study)
    assert at_base(study, tables.summary, tables.comparisons) == []


def test_order_of_the_pair_in_the_table_does_not_matter(study, results):
    turned = results.comparisons.rename(columns={"system_a": "system_b", "system_b": "system_a"})
    turned["difference"], turned["low"], turned["high"] = -turned["difference"], -turned["high"], -turned["low"]
    turned["value_difference"] = -turned["value_difference"]
    straight = standings(results.summary, judge(study.own, results.summary, results.comparisons).rows)
    other = standings(results.summary, judge(study.own, results.summary, turned).rows)
    assert [each.top for each in straight] == [each.top for each in other]


def test_where_less_is_better_the_lowest_wins(study, results, monkeypatch):
    monkeypatch.setattr("recsens.conclusions.verdicts.best.direction", lambda metric: -1)
    duel = pick(at_base(study, results.summary, results.comparisons), "Alpha-1M", "P@").top
    assert (duel.first, duel.second) == ("Pop_1", "MF")
    assert duel.difference == pytest.approx(0.125)
    assert duel.low < duel.difference < duel.high


def test_the_interval_is_named_by_the_tests_own_level(make_study):
    assert plain(interval_name(make_study(design={"test": "t(confidence=0.99)"}))) == "99 % CI"


def test_results_of_no_design_have_no_standings(study, results):
    assert at_base(study, results.summary.iloc[:0], results.comparisons.iloc[:0]) == []


def test_every_view_of_a_study_asks_the_one_definition_of_a_win(make_study, make_results, monkeypatch, draw):
    study = make_study(design={"split": "random(ratio=0.2)", "repeats": 2}, vary={"split": ["random(ratio=0.8)"]})
    tables = make_results(study)
    nobody = Decided(np.zeros(1, dtype=np.int64), np.array([False]))
    monkeypatch.setattr("recsens.conclusions.verdicts.verdict_table.decide", lambda *_, **__: nobody)
    table = verdict_table(study, tables.summary, tables.comparisons)
    [verdicts] = of_all_experiments(study, table)
    assert set(verdicts.rows["verdict"]) == {"undecided"}
    assert headline([verdicts]).startswith("No analyses contradict each other")
    sentences = base_sentences(verdicts, tables.summary)
    assert all("neither" in sentence or "is not significant" in sentence for sentence in sentences)
    assert all(set(curve.winners) == {NOBODY} for curve in curves(tables.summary, verdicts, list(study.datasets)))
    points = [line for axes in draw("split", study.own, tables.summary, table).axes for line in axes.lines]
    assert {line.get_markerfacecolor() for line in points if line.get_marker() in "os^"} == {PAPER}
