"""The effort of tuning in the report: first screen, at a glance, section, tables, figures, methods and the explorer."""

from collections.abc import Callable
from itertools import product

import pandas as pd
import pytest

from recsens.conclusions.design_space import base_designs
from recsens.conclusions.verdicts.pairs import PairVerdicts, of_all_experiments
from recsens.conclusions.verdicts.study_tables import Results
from recsens.report.explorer import explorer
from recsens.report.figure_style import house_style
from recsens.report.figures import FigureData
from recsens.report.glance import glances
from recsens.report.sentences.answers import answers, unmoved
from recsens.report.sentences.effort import best_after_tuning, effort_in_methods, effort_sentences, how_searched
from recsens.report.sentences.headline import headline
from recsens.report.tables.effort import effort_tables
from recsens.report.which_drawing import EFFORTS
from recsens.study import Study
from recsens.tables.text import to_text

EFFORTS_TRIED = (0, 1, 2, 3)
SHARES = {
    # The two systems' shares of searches, effort by effort: one turns, one is decided late, one stays.
    ("kNN", "MF"): [(1.0, 0.0), (0.5, 0.3), (0.02, 0.96), (0.0, 1.0)],
    ("kNN", "Pop_1"): [(0.0, 0.0), (0.4, 0.0), (0.94, 0.0), (0.95, 0.0)],
    ("MF", "Pop_1"): [(1.0, 0.0)] * 4,
}


@pytest.fixture(scope="module")
def tuned(make_study: Callable[..., Study]) -> Study:
    systems = {"kNN": "user_knn", "MF": "tuned(of=hkv,search=random(trials=4,factors=[5,10]))", "Pop_1": "popularity"}
    return make_study(systems=systems, vary={"effort": [0, 1, 3]}, published=[], published_comparisons=[], metrics=["P@10"])


@pytest.fixture(scope="module")
def tables(tuned: Study, make_results: Callable[..., Results]) -> Results:
    labels = {"metric": "P@10", "metric_full": "P@10"}
    pairs, systems = [], []
    for dataset in tuned.datasets:
        for (a, b), shares in SHARES.items():
            for k_a, k_b in product(EFFORTS_TRIED, EFFORTS_TRIED):
                if k_a != k_b and 2 in {k_a, k_b}:
                    continue
                first, second = shares[min(k_a, k_b)]
                winner = a if first >= 0.95 else b if second >= 0.95 else ""
                found = dict(zip(("share_a", "share_b", "share_neither"), (first, second, 1 - first - second), strict=True))
                errors = dict.fromkeys(("error_a", "error_b", "error_neither"), 0.01)
                flags = {"is_of_this_search": k_a == 3, "is_simulated": False}
                head = {"dataset": dataset, "system_a": a, "system_b": b, **labels, "effort_a": k_a, "effort_b": k_b}
                pairs.append({**head, **found, **errors, "winner": winner, **flags})
        for system, effort in product(tuned.systems, EFFORTS_TRIED):
            value = {"value": 0.1 + effort / 100, "error": effort / 1000, "trials": 6, "is_of_this_search": effort == 3}
            systems.append({"dataset": dataset, "system": system, **labels, "effort": effort, **value})
    return make_results(tuned).with_tables(effort=pd.DataFrame(pairs), searches=pd.DataFrame(systems))


@pytest.fixture(scope="module")
def verdicts(tuned: Study, tables: Results) -> PairVerdicts:
    return of_all_experiments(tuned, tables.verdicts, tables.effort)[0]


def test_what_the_report_says(tuned: Study, tables: Results, verdicts: PairVerdicts, approved):
    approved(
        {
            "first screen": [answer.finding for answer in answers([verdicts])],
            "advice": [answer.advice for answer in answers([verdicts])],
            "pairs that stay": unmoved([verdicts]),
            "best after tuning": best_after_tuning(verdicts),
            "headline": [headline([verdicts])],
            "section": [how_searched(tuned.own), *effort_sentences(verdicts)],
            "tables": [
                text for table in effort_tables(verdicts, tables.searches) for text in (table.caption, to_text(table), *table.notes)
            ],
            "methods": [effort_in_methods(tuned.own)],
        }
    )


def test_at_a_glance_each_listed_effort_is_a_column(verdicts: PairVerdicts):
    glance = glances(verdicts)[0]
    [strip] = glance.strips
    name, options = strip.groups[-1]
    assert name == "Trials of tuning"
    assert [text for text, _ in options] == ["0", "1", "3"]
    marks = {line.systems: [mark.words for mark in line.marks[-3:]] for line in (*strip.open, *strip.folded)}
    assert marks["kNN", "MF"][1] == "kNN wins in 50\N{NO-BREAK SPACE}% of searches; MF wins in 30\N{NO-BREAK SPACE}% of searches"
    assert marks["kNN", "Pop_1"][0] == "neither wins in any search"


def test_the_explorer_knows_each_two_efforts(tuned: Study, verdicts: PairVerdicts):
    text = str(explorer(tuned, [verdicts], base_designs(tuned.own)))
    assert '"trials":["0","1","3"]' in text
    assert "kNN wins in 40" in text


@pytest.mark.parametrize("name", list(EFFORTS))
def test_the_figures_are_drawn(name: str, tuned: Study, tables: Results, check_texts: Callable):
    with house_style():
        figure = EFFORTS[name].draw(FigureData(tuned.own, tables))
        check_texts(figure)
    panels = [axes for axes in figure.axes if axes.get_title(loc="left")]
    assert len(panels) == len(tuned.datasets) * (1 if name == "effort" else 3)
