"""The best system under a design follows from its comparisons, and is always named with the number."""

import numpy as np
import pytest

from recsens.conclusions.verdicts.best import base_standings, standings
from recsens.conclusions.verdicts.pairs import experiment_verdicts
from recsens.conclusions.verdicts.verdict_table import judge, verdict_table
from recsens.outcomes.winner import NOBODY, Decided
from recsens.report.figure_style import PAPER
from recsens.report.figures.specification_curve import trace_curves
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


def test_what_is_said_of_the_base_design(study, make_study, make_results, listed, approved):
    """Undecided, decided, not compared, and where reduced averages are over other users than those compared."""
    low = {"design": {"split": "random(ratio=0.2)", "repeats": 2}}
    told = {"undecided": base_sentence(study.own, pick(listed, "Alpha-1M", "P@"))}
    others = {
        "decided": low,
        "not compared": {"compare": [["kNN", "Pop_1"]], "published_comparisons": []},
        "other users": {**low, "vary": {"split": [OPEN]}},
    }
    for name, changes in others.items():
        asked = make_study(**changes)
        tables = make_results(asked)
        if name == "other users":
            pair = (tables.comparisons["system_a"] == "kNN") & (tables.comparisons["system_b"] == "MF")
            tables.comparisons.loc[pair, ["difference", "low", "high", "p_adjusted"]] = [-0.02, -0.03, -0.01, 0.04]
        told[name] = base_sentence(asked.own, pick(at_base(asked, tables.summary, tables.comparisons), "Alpha-1M", "P@"))
    approved(told)


def test_the_p_value_is_the_adjusted_one(study, results):
    adjusted = results.comparisons.assign(p_adjusted=0.5)
    standings = pick(at_base(study, results.summary, adjusted), "Alpha-1M", "P@")
    assert standings.top.p_value == 0.5


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
    [verdicts] = experiment_verdicts(study, table)
    assert set(verdicts.rows["verdict"]) == {"undecided"}
    assert headline([verdicts]).startswith("No analyses contradict each other")
    sentences = base_sentences(verdicts, tables.summary)
    assert all("neither" in sentence or "is not significant" in sentence for sentence in sentences)
    assert all(set(curve.winners) == {NOBODY} for curve in trace_curves(tables.summary, verdicts, list(study.datasets)))
    points = [line for axes in draw("split", study.own, tables.summary, table).axes for line in axes.lines]
    assert {line.get_markerfacecolor() for line in points if line.get_marker() in "os^"} == {PAPER}
