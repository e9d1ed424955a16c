"""The effort of tuning in the report: first screen, at a glance, section, tables, figures, methods and the explorer."""

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Browser

from recsens.conclusions.design_space import base_designs
from recsens.conclusions.verdicts.pairs import PairVerdicts, experiment_verdicts
from recsens.conclusions.verdicts.study_tables import Results
from recsens.report.explorer import explorer
from recsens.report.figure_style import house_style
from recsens.report.figures import FigureData
from recsens.report.glance import glances
from recsens.report.page_content import render
from recsens.report.sentences.answers import answers, unmoved_pairs
from recsens.report.sentences.effort import best_after_tuning, effort_in_methods, effort_sentences, how_searched
from recsens.report.sentences.headline import headline
from recsens.report.sentences.turning import what_would_turn
from recsens.report.tables.questions import effort_tables
from recsens.report.which_drawing import EFFORTS
from recsens.study import Study
from recsens.tables.texts import to_text

SYSTEMS = {"kNN": "user_knn", "MF": "tuned(of=hkv,search=random(trials=4,factors=[5,10]))", "Pop_1": "popularity"}
EFFORTS_TRIED = (0, 1, 2, 3)
SHARES = {
    # The two systems' shares of searches, effort by effort: one turns, one is decided late, one stays.
    ("kNN", "MF"): [(1.0, 0.0), (0.5, 0.3), (0.02, 0.96), (0.0, 1.0)],
    ("kNN", "Pop_1"): [(0.0, 0.0), (0.4, 0.0), (0.94, 0.0), (0.95, 0.0)],
    ("MF", "Pop_1"): [(1.0, 0.0)] * 4,
}


@pytest.fixture(scope="module")
def tuned(make_study: Callable[..., Study]) -> Study:
    return make_study(systems=SYSTEMS, vary={"effort": [0, 1, 3]}, published=[], published_comparisons=[], metrics=["P@10"])


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
                flags = {"is_of_this_search": False, "is_simulated": False}
                head = {"dataset": dataset, "system_a": a, "system_b": b, **labels, "effort_a": k_a, "effort_b": k_b}
                pairs.append({**head, **found, **errors, "winner": winner, **flags})
        for system, effort in product(tuned.systems, EFFORTS_TRIED):
            value = {"value": 0.1 + effort / 100, "error": effort / 1000, "trials": 6, "is_of_this_search": False}
            systems.append({"dataset": dataset, "system": system, **labels, "effort": effort, **value})
    return make_results(tuned).with_tables(effort=pd.DataFrame(pairs), searches=pd.DataFrame(systems))


@pytest.fixture(scope="module")
def verdicts(tuned: Study, tables: Results) -> PairVerdicts:
    return experiment_verdicts(tuned, tables.verdicts, tables.effort)[0]


def test_what_the_report_says(tuned: Study, tables: Results, verdicts: PairVerdicts, approved):
    approved(
        {
            "first screen": [answer.finding for answer in answers([verdicts])],
            "advice": [answer.advice for answer in answers([verdicts])],
            "pairs that stay": unmoved_pairs([verdicts]),
            "what would turn it": what_would_turn(tuned, [verdicts], tables),
            "best after tuning": best_after_tuning(verdicts),
            "headline": [headline([verdicts])],
            "section": [how_searched(tuned.own), *effort_sentences(verdicts)],
            "tables": [
                text for table in effort_tables(verdicts, tables.searches) for text in (table.caption, to_text(table), *table.notes)
            ],
            "methods": [effort_in_methods(tuned.own)],
        }
    )


@pytest.mark.parametrize(("listed", "words"), [([3], "MF beats kNN"), ([0, 3], "kNN beats MF")])
def test_a_base_verdict_that_no_effort_has_is_said(make_study: Callable, tables: Results, listed: list[int], words: str):
    study = make_study(vary={"effort": listed}, published=[], published_comparisons=[], metrics=["P@10"], systems=SYSTEMS)
    found = experiment_verdicts(study, tables.verdicts, tables.effort)[0]
    said = " ".join(answer.finding for answer in answers([found], where=False))
    assert words in said
    assert "also when any single decision changes" not in said


def test_pairs_that_another_metric_compares_are_not_held_against_the_base_verdict(tuned: Study, tables: Results):
    other = tables.effort.assign(metric="nDCG@10", metric_full="nDCG@10")
    found = experiment_verdicts(tuned, tables.verdicts, other)[0]
    assert "tuning" not in " ".join(answer.finding for answer in answers([found]))
    assert "on nDCG@10" in best_after_tuning(found)[0]


def test_a_small_grid_speaks_of_its_own_candidates_only(tuned: Study, tables: Results):
    small = tables.effort.assign(is_of_this_search=tables.effort["effort_a"] == 3)
    [said, *_] = best_after_tuning(experiment_verdicts(tuned, tables.verdicts, small)[0])
    assert said.endswith("beats each of the other 2 on P@10 in at least 95 % of searches that can be made of the candidates tried.")


def test_a_pair_that_no_effort_decides_is_named(
    make_study: Callable[..., Study], make_results: Callable[..., Results], tables: Results
):
    study = make_study(systems=SYSTEMS, vary={"effort": [0, 1]}, published=[], published_comparisons=[], metrics=["P@10"])
    found = make_results(study)
    rows = found.verdicts.assign(winner="kNN", verdict="kNN wins")
    [part] = experiment_verdicts(study, rows[rows["system_b"] == "Pop_1"], tables.effort)
    findings = [each.finding for each in answers([part], where=False) if each.finding.startswith("kNN and Pop_1")]
    assert len(findings) == len(study.datasets)
    for finding in findings:
        assert finding.startswith("kNN and Pop_1 on P@10: if only the number of tuning trials changes, ")
        assert "1 trial of tuning" in finding


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


@pytest.mark.slow
def test_a_reader_chooses_the_trials_of_each_system(browser: Browser, tuned: Study, tables: Results, tmp_path: Path):
    path = tmp_path / "report.html"
    path.write_text(render(tuned, tables, name="n", designs=base_designs(tuned.own), figures={}), encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    trials = [page.get_by_label(f"trials of tuning for {system}") for system in ("kNN", "MF")]
    said = trials[0].locator("xpath=ancestor::p")
    assert "MF wins in 100" in said.inner_text()
    trials[0].select_option("0")
    assert "kNN wins in 100" in said.inner_text()
    assert page.get_by_role("heading", name="Effort of tuning").is_visible()
    page.close()
