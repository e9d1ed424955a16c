"""Unrated items in the report: sentences, table, figures, claim, methods and the explorer."""

from collections.abc import Callable

import pandas as pd
import pytest

from recsens.conclusions.claims import Claim, Evidence
from recsens.conclusions.design_space import base_designs
from recsens.conclusions.verdicts.pairs import experiment_verdicts
from recsens.conclusions.verdicts.study_tables import Results
from recsens.errors import SpecError
from recsens.report.explorer import explorer
from recsens.report.figure_style import house_style
from recsens.report.figures import FigureData
from recsens.report.figures.tipping import Tipping
from recsens.report.sentences.turning import what_would_turn
from recsens.report.sentences.unrated import bounds_sentence, pushed_by_data, summary_lines, tipping_in_methods, tipping_sentences
from recsens.report.tables.questions import unrated_tables
from recsens.study import Study
from recsens.study.claims import Ground
from recsens.tables.texts import to_text

SYSTEMS = {"kNN": "user_knn", "MF": "hkv", "Pop_1": "popularity"}
INFINITE = float("inf")
NOTHING = float("nan")
FOUND = {
    # Leader, difference, bounds, rates (level, lost) and, for each listed rate, ratios (level, lost).
    ("kNN", "MF"): ("kNN", 0.02, (-0.25, 0.27), (0.44, 0.27), [(2.325, 1.854), (1.203, 0.95)]),
    ("kNN", "Pop_1"): ("kNN", 0.3, (0.01, 0.5), (INFINITE, INFINITE), [(INFINITE, INFINITE), (4.2, 3.1)]),
    ("MF", "Pop_1"): ("Pop_1", -0.001, (-0.2, 0.2), (0.1, NOTHING), [(0.0, NOTHING), (0.0, NOTHING)]),
}


@pytest.fixture(scope="module")
def asked(make_study: Callable[..., Study]) -> Study:
    return make_study(systems=SYSTEMS, vary={}, tipping=[0.05, 0.2], published=[], published_comparisons=[], metrics=["P@10"])


@pytest.fixture(scope="module")
def tables(asked: Study, make_results: Callable[..., Results]) -> Results:
    main, by_rate = [], []
    for dataset in asked.datasets:
        for (a, b), (leader, difference, bounds, rates, ratios) in FOUND.items():
            head = {"dataset": dataset, "system_a": a, "system_b": b, "metric": "P@10", "metric_full": "P@10", "is_base": True}
            sizes = {"lowest": bounds[0], "highest": bounds[1], "loose": 0.0, "only_a": 2.4, "only_b": 2.9, "both": 3.9}
            tips = dict(zip(("rate_level", "rate_lost"), rates, strict=True))
            is_win = rates[1] == rates[1]
            main.append({**head, "difference": difference, **sizes, "leader": leader, "is_significant": is_win, **tips})
            for rate in (0, 0.05, 0.2, 0.5, 1):
                values = {
                    "value_a": 0.2 + rate / 2,
                    "value_b": 0.2 + rate / 2 - difference,
                    "difference": difference * (1 - 2 * rate),
                }
                own = dict(zip((0.05, 0.2), ratios, strict=True)).get(rate, (NOTHING, NOTHING))
                ratio = dict(zip(("ratio_level", "ratio_lost"), own, strict=True))
                by_rate.append({**head, "rate": rate, **values, "standard_error": 0.01, **ratio, "is_listed": rate in (0.05, 0.2)})
    return make_results(asked).with_tables(unrated=pd.DataFrame(main), unrated_rates=pd.DataFrame(by_rate))


def test_what_the_report_says(asked: Study, tables: Results, approved):
    approved(
        {
            "first screen": summary_lines(asked.all_experiments(), tables),
            "section": [*tipping_sentences(asked.own, tables), *map(bounds_sentence, pushed_by_data(asked.own, tables).values())],
            "tables": [
                text for table in unrated_tables(asked.own, tables) for text in (table.caption, to_text(table), *table.notes)
            ],
            "methods": [tipping_in_methods(asked.own)],
            "what would turn it": what_would_turn(asked, experiment_verdicts(asked, tables.verdicts, tables.effort), tables),
        }
    )


@pytest.mark.parametrize(
    ("loser", "said"),
    [
        ("MF", "the win is lost if unrated items that only MF lists are relevant 1.9 times as often as others"),
        ("Pop_1", "It stands if unrated items that only Pop_1 lists are up to 2 times as often relevant as others"),
    ],
)
def test_a_win_that_little_would_end_is_turned_by_unrated_items(make_study, tables: Results, loser: str, said: str):
    base = {"vary": {}, "published": [], "published_comparisons": [], "metrics": ["P@10"], "systems": SYSTEMS}
    study = make_study(**base, tipping=[0.05, 0.2], compare=[["kNN", loser]])
    verdicts = tables.verdicts.copy()
    verdicts.loc[(verdicts["system_a"] == "kNN") & (verdicts["system_b"] == loser), ["winner", "verdict"]] = ["kNN", "kNN wins"]
    sentence = what_would_turn(study, experiment_verdicts(study, verdicts, tables.effort), tables)[0].replace(
        "\N{NO-BREAK SPACE}", " "
    )
    assert f"{said} (at a rate of 5 %)" in sentence


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("robust_to_unrated(a=kNN,b=MF,ratio=1.5,rate=0.05)", "held"),
        ("robust_to_unrated(a=kNN,b=MF,ratio=2,rate=0.05)", "not held"),
        ("robust_to_unrated(a=kNN,b=MF,ratio=1.5,rate=0.2)", "not held"),
        ("robust_to_unrated(a=MF,b=kNN,ratio=0.5,rate=0.05)", "not held"),
        ("robust_to_unrated(a=kNN,b=Pop_1,ratio=10,rate=0.05)", "held"),
        ("robust_to_unrated(a=Pop_1,b=MF,ratio=1.5,rate=0.05)", "undecided"),
    ],
)
def test_a_claim_is_held_if_a_larger_ratio_is_needed(claim: str, verdict: str, asked: Study, tables: Results):
    component, experiment = Claim.build(claim), asked.own
    ground = Ground(experiment, next(iter(experiment.datasets)), experiment.design)
    component.check(ground)
    found = component.judge(ground, Evidence(experiment, tables))
    assert found.verdict == verdict


def test_a_claim_has_a_sound_ratio_and_rate_if_none_are_given(asked: Study):
    ground = Ground(asked.own, next(iter(asked.own.datasets)), asked.own.design)
    usual = Claim.build("robust_to_unrated(a=kNN,b=MF)")
    usual.check(ground)
    assert usual == Claim.build("robust_to_unrated(a=kNN,b=MF,ratio=2,rate=0.05)")
    for none in ("ratio=0", "rate=0"):
        with pytest.raises(SpecError, match="greater than 0"):
            Claim.build(f"robust_to_unrated(a=kNN,b=MF,{none})")


def test_the_explorer_says_what_would_push_the_base_verdict(asked: Study, tables: Results):
    found = experiment_verdicts(asked, tables.verdicts, tables.effort)
    text = str(explorer(asked, found, base_designs(asked.own), tables))
    assert "MF would be ahead of kNN on P@10 if" in text


@pytest.mark.parametrize("show", ["difference", "values"])
def test_the_figures_are_drawn(show: str, asked: Study, tables: Results, check_texts: Callable):
    with house_style():
        figure = Tipping(show=show).draw(FigureData(asked.own, tables))
        check_texts(figure)
    assert len([axes for axes in figure.axes if axes.get_title(loc="left")]) == len(asked.datasets) * 3
