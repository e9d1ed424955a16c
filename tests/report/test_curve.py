"""The specification curve: sorted, signed by the better system of the base design, legible with one or thousands of analyses."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from recsens.conclusions.verdicts.verdict_table import judge
from recsens.outcomes.winner import FIRST, NOBODY, SECOND
from recsens.report.figures import write_figure
from recsens.report.figures.specification_curve import MANY, trace_curves

ALPHA = {"datasets": {"Alpha-1M": "lab_plugins.Ratings"}, "published": [], "published_comparisons": []}


def trace(study, tables):
    return trace_curves(tables.summary, judge(study.own, tables.summary, tables.comparisons), list(study.datasets))


def test_analyses_are_sorted_by_effect_size_with_the_base_and_the_winners_in_their_places(study, results):
    alpha, beta = trace(study, results)
    assert (alpha.title, beta.title) == ("Alpha-1M: kNN over MF", "Beta_2: kNN over MF")
    assert (np.diff(alpha.effects) >= 0).all()
    # Ratios .8 | .5 (full, condensed) | .35 | .2, each by two metrics.
    assert alpha.winners.tolist() == [SECOND] * 2 + [NOBODY] * 4 + [FIRST] * 4
    assert alpha.winners[alpha.base] == NOBODY
    assert (alpha.lows < alpha.effects).all()
    assert (alpha.effects < alpha.highs).all()


def test_the_choices_are_the_decisions_that_vary_and_the_metrics(study, results):
    alpha, _ = trace(study, results)
    assert [(choices.title, choices.labels, choices.base) for choices in alpha.choices] == [
        ("A2 Train/test split: ratio", (".2", ".35", ".5", ".8"), 2),
        ("C1 Full or condensed rankings", ("full", "condensed"), 0),
        ("C2 Metric", ("P", "nDCG"), 0),
    ]
    assert alpha.choices[0].taken.argmax(axis=0).tolist() == [3, 3, 2, 2, 2, 2, 1, 1, 0, 0]


def test_cut_offs_are_choices_of_their_own(make_study, make_results):
    study = make_study(**ALPHA, vary={}, metrics=["P@10,5", "nDCG@5"])
    (curve,) = trace(study, make_results(study))
    assert [(choices.title, choices.labels, choices.base) for choices in curve.choices] == [
        ("C2 Metric", ("P", "nDCG"), 0),
        ("C2 Cut-off", ("5", "10"), 1),
    ]


def test_a_metric_of_the_whole_ranking_has_no_cut_off(make_study, make_results):
    study = make_study(**ALPHA, vary={}, metrics=["RR", "P@10,5"])
    (curve,) = trace(study, make_results(study))
    assert ("C2 Cut-off", ("5", "10", "none"), 2) in [(choices.title, choices.labels, choices.base) for choices in curve.choices]


def test_the_better_system_of_the_base_design_comes_first(make_study, make_results):
    study = make_study(**ALPHA, design={"split": "random(ratio=0.8)"}, vary={"view": ["condensed"]})
    (curve,) = trace(study, make_results(study))
    assert (curve.first, curve.second) == ("MF", "kNN")
    assert (curve.effects > 0).all()
    assert (curve.winners == FIRST).all()


def test_less_may_be_better(make_study, make_results, monkeypatch):
    for module in ("report.figures.specification_curve", "conclusions.verdicts.verdict_table"):
        monkeypatch.setattr(f"recsens.{module}.direction", lambda metric: -1)
    study = make_study(**ALPHA, vary={"view": ["condensed"]})
    (curve,) = trace(study, make_results(study))
    assert (curve.first, curve.second) == ("Pop_1", "MF")
    assert (curve.effects > 0).all()


def test_of_pairs_that_were_compared_the_best_is_shown(make_study, make_results):
    study = make_study(**ALPHA, compare=[["MF", "Pop_1"], ["kNN", "Pop_1"]])
    (curve,) = trace(study, make_results(study))
    assert (curve.first, curve.second) == ("kNN", "Pop_1")


@pytest.mark.parametrize("n", [1, 2, 4, 6])
def test_it_is_drawn_for_any_number_of_data_sets(make_study, make_results, n, tmp_path, draw, caption):
    labels = {f"Data {place}": f"lab_plugins.Ratings(name=n{place})" for place in range(n)}
    study = make_study(datasets=labels, published=[], published_comparisons=[])
    tables = make_results(study)
    figure = draw("designs", study.own, tables.summary, tables.verdicts)
    assert isinstance(figure, Figure)
    assert len(figure.axes) == 2 * min(n, 4)
    if n == 2:
        write_figure(figure, svg=tmp_path / "a.svg", png=tmp_path / "a.png")
        assert (tmp_path / "a.png").stat().st_size > 10_000
    assert ("the first 4 of 6 data sets" in caption("designs", study.own)) == (n == 6)


def test_many_analyses_have_bars_and_rows_of_verdicts_instead_of_marks(make_study, make_results, tmp_path, draw, caption):
    ratios = [f"random(ratio={share / 100})" for share in range(20, 60)]
    study = make_study(**ALPHA, combine="grid", vary={"split": ratios, "view": ["full", "condensed"]})
    tables = make_results(study)
    (curve,) = trace(study, tables)
    assert len(curve.effects) == 160 > MANY
    figure = draw("designs", study.own, tables.summary, tables.verdicts)
    assert [label.get_text() for label in figure.axes[1].get_yticklabels()][:4] == ["Verdict", "kNN wins", "undecided", "MF wins"]
    assert not figure.legends
    assert not any(line.get_marker() in "^vo" for axes in figure.axes for line in axes.lines)
    write_figure(figure, svg=tmp_path / "a.svg", png=tmp_path / "a.png")
    assert (tmp_path / "a.svg").stat().st_size < 1_000_000
    assert "bars show the share" in caption("designs", study.own)


def test_a_single_analysis_has_no_choices(make_study, make_results, draw):
    study = make_study(**ALPHA, vary={}, metrics=["P@10", "Unrated@10"])
    assert "designs" in study.own.figures()
    tables = make_results(study)
    figure = draw("designs", study.own, tables.summary, tables.verdicts)
    assert len(figure.axes) == 1


def test_without_an_effect_size_there_is_no_curve(study, results):
    # As for a metric with one value for all users, which has no standard deviation over users.
    verdicts = judge(study.own, results.summary, results.comparisons.assign(effect=np.nan))
    assert trace_curves(results.summary, verdicts, list(study.datasets)) == []


def test_without_a_metric_that_ranks_there_is_a_sentence_instead(make_study, make_results, draw):
    study = make_study(**ALPHA, vary={"view": ["condensed"]}, metrics=["Unrated@10"])
    tables = make_results(study)
    figure = draw("designs", study.own, tables.summary, tables.verdicts)
    assert "No two systems" in figure.texts[0].get_text()
