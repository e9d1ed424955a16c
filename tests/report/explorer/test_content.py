"""The explorer's data: the study's verdicts, safely escaped, with the settings to compute each again."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from recsens.conclusions.design_space import base_designs, ranking_folder
from recsens.conclusions.verdicts.pairs import PAIR, PairVerdicts, experiment_verdicts
from recsens.conclusions.verdicts.study_tables import Results, records
from recsens.conclusions.verdicts.verdict_table import verdict_table
from recsens.report import explorer as content
from recsens.report.explorer import encode_column, explorer, rounded_numbers, safe_json, why_no_explorer
from recsens.study import Study
from recsens.study.taxonomy import FULL_COLUMNS
from recsens.tables.numbers import p_claim


@pytest.fixture(scope="module")
def given(grid: Study, verdicts: list[PairVerdicts]) -> dict:
    return json.loads(explorer(grid, verdicts, base_designs(grid.own)))


def texts(given_column: dict) -> list[str]:
    return [given_column["values"][code] for code in given_column["codes"]]


def test_a_column_holds_each_text_once():
    assert encode_column(["b", "a", "b"]) == {"values": ["b", "a"], "codes": [0, 1, 0]}


def test_numbers_are_rounded_and_what_is_missing_is_none():
    assert rounded_numbers([0.123456, float("nan"), -2.0]) == [0.1235, None, -2.0]


def test_every_verdict_of_every_experiment_is_given(given: dict, verdicts: list[PairVerdicts]):
    for found, expected in zip(given["experiments"], verdicts, strict=True):
        rows = expected.rows
        said = texts(found["verdicts"]["p"])
        assert [text.partition(" for th")[0] for text in said] == [p_claim(p) for p in rows["p_adjusted"]]
        is_split = (rows["p_adjusted"] < expected.part.alpha) != (rows["resampled_p"] < expected.part.alpha)
        assert ["but resampled" in text for text in said] == (is_split & rows["resampled_p"].notna()).tolist()
        assert texts(found["verdicts"]["first"]) == rows["system_a"].tolist()
        wins = {1: "system_a", -1: "system_b"}
        systems = zip(found["verdicts"]["winner"], records(rows), strict=True)
        winners = [row[wins[side]] if side else "" for side, row in systems]
        assert winners == rows["winner"].tolist()
        for number, decision in enumerate(found["decisions"]):
            column_name = {"split": "split", "view": "view", "relevance": "relevance", "coverage": "coverage"}[decision["key"]]
            codes = [found["designs"][number][design] for design in found["verdicts"]["design"]]
            assert [decision["options"][code] for code in codes] == rows[column_name].tolist()
            assert len(decision["words"]) == len(decision["options"])


def test_options_have_words_and_untuned_systems_are_named(given: dict):
    found = given["experiments"][0]
    split = next(decision for decision in found["decisions"] if decision["key"] == "split")
    assert split["words"][0].startswith("random split (")
    assert found["untuned"] == ["MF", "kNN"]


def test_sizes_are_seen_from_the_system_ahead(given: dict, verdicts: list[PairVerdicts]):
    found, rows = given["experiments"][0]["verdicts"], verdicts[0].rows
    behind = rows.index[rows["difference"] < 0][0]
    assert not texts(found["size"])[behind].startswith("−")
    assert found["ahead"][behind] == -1
    assert found["effect"][behind] < 0


def test_a_reader_first_sees_a_pair_with_opposite_winners(given: dict):
    assert given["experiments"][0]["start"] == {"dataset": "Alpha-1M", "first": "kNN", "second": "MF"}


def test_the_study_file_of_each_analysis_asks_for_its_design(given: dict, grid: Study):
    for found, part in zip(given["experiments"], grid.all_experiments(), strict=True):
        expected = part.designs()
        assert len(found["designs"][0]) == len(expected)
        pieces = found["file"]
        for number in range(len(expected)):
            options = {d["key"]: codes[number] for d, codes in zip(found["decisions"], found["designs"], strict=True)}
            lines = "".join(line["lines"][options.get(line["key"], 0)] for line in pieces["design"])
            text = f"{pieces['heads'][0]}design:\n{lines}{next(iter(pieces['metrics'].values()))}{pieces['tail']}"
            asked = Study.model_validate(yaml.safe_load(text))
            assert asked.design in expected
            assert (asked.systems, asked.seed, asked.alpha) == (part.systems, part.seed, part.alpha)
            assert asked.own.pairs() == part.pairs()
            assert [str(metric) for metric in asked.metrics] == [str(part.metrics[0])]


def test_each_design_has_the_folder_of_its_rankings(given: dict, grid: Study):
    found = given["experiments"][0]
    folders = texts(found["folders"]["Beta_2"])
    base = base_designs(grid.own)["Beta_2"]
    assert folders[0] == ranking_folder(base)
    assert len(set(folders)) == 4, "only the split moves rankings, the view does not"
    assert folders[0].replace(given["any_system"], found["steps"]["kNN"]) == ranking_folder(base, grid.systems["kNN"])


def test_no_text_ends_the_element_or_the_json():
    hostile = {"</script><img src=x onerror=alert(1)>": "<!-- & ' \N{LINE SEPARATOR}"}
    text = safe_json(hostile)
    assert not re.search(r"[<>&']", text)
    assert json.loads(text) == hostile


def test_a_study_with_too_many_verdicts_says_so(grid: Study, verdicts: list[PairVerdicts], monkeypatch: pytest.MonkeyPatch):
    assert why_no_explorer(verdicts) == ""
    monkeypatch.setattr(content, "MOST_ANALYSES", 10)
    assert "because at most 10 comparisons fit in it; verdicts.csv lists them all." in why_no_explorer(verdicts)
    assert explorer(grid, verdicts, base_designs(grid.own)) == ""


def test_a_study_of_one_system_has_nothing_to_explore(make_study: Callable[..., Study], make_results: Callable[..., Results]):
    alone = make_study(systems={"kNN": "lab_plugins.Neighbours"}, published=[], published_comparisons=[])
    assert explorer(alone, experiment_verdicts(alone, make_results(alone).verdicts), base_designs(alone.own)) == ""


def test_the_script_is_part_of_what_a_report_rests_on():
    from recsens.workflow.ask._components import page_templates

    assert {"main.js", "explorer.css", "explorer.html.jinja", "report.css"} <= {Path(path).name for path in page_templates()}


def test_a_margin_and_p_adjusted_for_all_analyses_are_given(grid: Study, grid_results: Results):
    wide = grid.model_copy(update={"margin": 1.0})
    keys = [*PAIR, "metric_full", *FULL_COLUMNS]
    multiverse = grid_results.verdicts[keys].iloc[:1].assign(p_family=0.3)
    table = verdict_table(wide, grid_results.summary, grid_results.comparisons, multiverse)
    [found, *_] = experiment_verdicts(wide, table)
    given = json.loads(explorer(wide, [found], base_designs(wide.own)))["experiments"][0]
    assert given["margin"] == "1"
    assert yaml.safe_load(given["file"]["tail"])["margin"] == 1
    assert given["verdicts"]["equivalent"] == (found.rows["verdict"] == "equivalent").tolist()
    assert any(given["verdicts"]["equivalent"])
    first, *others = texts(given["verdicts"]["family"])
    assert first == p_claim(0.3)
    assert set(others) == {""}


def test_without_a_margin_nothing_is_equivalent_and_the_study_file_names_none(given: dict):
    for found in given["experiments"]:
        assert (found["margin"], "margin" in found["file"]["tail"]) == ("", False)
        assert not any(found["verdicts"]["equivalent"])
