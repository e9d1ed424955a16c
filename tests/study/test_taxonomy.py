"""The table of decisions agrees with everything else that lists decisions: models, addresses, results, plug-ins, report, pages."""

import re
from dataclasses import fields
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from docs.generate import example, kinds
from recsens import vocabulary
from recsens.artefacts.addresses import STEPS, Fold
from recsens.plugins import PACKAGES, names
from recsens.plugins.specs import Chain, Spec, parse
from recsens.report.settings import decisions
from recsens.report.settings.statement import statement
from recsens.study import Decisions, Study
from recsens.study.design import Design
from recsens.study.designs import expand
from recsens.study.key_list import key_meanings
from recsens.study.taxonomy import COLUMNS, DECISIONS, DESIGN, TABLE, columns_with_full, decision, decisions_of_stage

ROOT = Path(__file__).parents[2]

OTHERS = {
    "filter": Chain((Spec("k_core"), Spec("none"))),
    "split": parse("k_fold(k=5)"),
    "repeats": 2,
    "fits": 2,
    "targets": parse("one_r(n=99)"),
    "nc": parse("append(by=popularity)"),
    "ties": "low_index",
    "relevance": 3.0,
    "users": parse("with_ratings(test=1)"),
    "view": "condensed",
    "aggregate": parse("median"),
    "coverage": "reduced",
    "test": parse("sign"),
    "correction": "holm",
}
"""An option of each decision that is not its default."""


@pytest.fixture
def study() -> Study:
    return Study(title="t", datasets={"S": "simulated"}, systems={"R": "random"}, metrics=["P@1"])


@pytest.fixture
def design(study) -> Design:
    """The design with every default."""
    [[base]] = expand(study, {"S": parse("simulated")}).values()
    return base


def words_of(annotation: object) -> tuple[str, ...]:
    return tuple(each for each in get_args(annotation) if isinstance(each, str))


# The table itself


def test_the_decisions_of_a_design_stand_in_the_order_of_the_taxonomy_in_reports():
    assert [(each.code, each.key) for each in DECISIONS] == [
        ("A1", "filter"),
        ("A2", "split"),
        ("A2", "repeats"),
        ("B", "fits"),
        ("B1", "users"),
        ("B2", "targets"),
        ("B2", "nc"),
        ("B2", "ties"),
        ("C1", "view"),
        ("C2", "relevance"),
        ("C3", "aggregate"),
        ("C4", "coverage"),
        ("D", "test"),
        ("D", "correction"),
    ]


@pytest.mark.parametrize("attribute", ["key", "name", "column"])
def test_no_two_decisions_share_a_name(attribute):
    found = [getattr(each, attribute) for each in TABLE]
    assert len(set(found)) == len(found)


def test_a_decision_is_found_by_its_key():
    assert (decision("users").column, decision("users").code) == ("user_selection", "B1")
    with pytest.raises(KeyError, match="user_selection"):
        decision("user_selection")


def test_what_makes_rankings_is_part_of_an_address_and_nothing_else_is():
    assert [each.key for each in TABLE if each.step] == [each.key for each in TABLE if {"split", "rank"} & set(each.stages)]


def test_a_stage_has_the_decisions_that_it_reads():
    assert [each.key for each in decisions_of_stage("split")] == ["filter", "split", "repeats"]
    assert [each.key for each in decisions_of_stage("aggregate")] == ["targets", "users", "aggregate", "coverage"]
    assert [each.key for each in decisions_of_stage("aggregate", "test")] == [
        "targets",
        "users",
        "aggregate",
        "coverage",
        "test",
        "correction",
    ]


# Models


def test_a_study_file_has_the_decisions_of_the_table():
    assert list(Decisions.model_fields) == [each.key for each in DESIGN]
    assert {each.key for each in TABLE if not each.in_design} < set(Study.model_fields)


def test_a_design_has_the_decisions_of_the_table():
    assert [field.name for field in fields(Design)] == ["seed", "dataset", "name", *(each.key for each in DESIGN)]


@pytest.mark.parametrize("found", DESIGN, ids=lambda each: each.key)
def test_the_options_of_a_decision_are_what_the_models_take(found):
    hints = {name: getattr(vocabulary, name) for name in ("Correction", "Coverage", "Ties", "Reading")}
    in_file = get_type_hints(Decisions)[found.key]
    in_design = get_type_hints(Design, localns=hints)[found.key]
    # Besides its words, the view takes rates.
    words = (*vocabulary.VIEWS, "relevant") if (in_file, in_design) == (str, str) else words_of(in_file)
    assert words == (words_of(in_design) or words) == found.words
    assert (in_file in (Spec, Chain)) == (found.kind is not None)
    assert bool(found.kind) + bool(found.words) <= 1


@pytest.mark.parametrize("found", DESIGN, ids=lambda each: each.key)
def test_the_description_of_a_key_begins_with_its_code_or_name(found):
    description = key_meanings(Decisions)[found.key]
    assert description.partition(":")[0] in (found.code, found.name)


def test_every_kind_of_plugin_but_groups_figures_claims_and_analyses_fills_a_decision():
    assert [each.kind for each in TABLE if each.kind] == [
        kind for kind in PACKAGES if kind not in {"group", "figure", "claim", "analysis"}
    ]
    assert all(names(each.kind) for each in TABLE if each.kind)


# Addresses and results


@pytest.mark.parametrize("found", DESIGN, ids=lambda each: each.key)
def test_another_option_moves_the_step_of_the_address_that_the_table_names(design, found):
    # The choice of these targets depends on the threshold of relevance.
    base = design.replaced(targets=parse("one_r")) if found.key == "relevance" else design
    steps = ["seed", *dict.fromkeys(each.step for each in TABLE if each.step)]
    other = base.replaced(**{found.key: OTHERS[found.key]})
    # A second draw has its own folder.
    before, after = (
        each.ranking_folder(Fold(each.repeats - 1, fit=each.fits - 1), parse("random")).relative_to("results").parts
        for each in (base, other)
    )
    assert len(before) == len(steps)
    moved = [step for step, one, two in zip(steps, before, after, strict=True) if one != two]
    assert moved == ([found.step] if found.step else [])


def test_an_address_has_a_folder_for_every_step_of_the_table():
    assert ("seed", *dict.fromkeys(each.step for each in TABLE if each.step)) == STEPS


def test_tables_of_results_have_a_column_for_every_decision(design):
    assert list(design.columns()) == [*columns_with_full(DESIGN), "seed"]
    assert sorted(COLUMNS) == sorted(each.column for each in DESIGN)


@pytest.mark.parametrize("found", DESIGN, ids=lambda each: each.key)
def test_a_column_changes_with_its_decision_alone(design, found):
    before, after = design.columns(), design.replaced(**{found.key: OTHERS[found.key]}).columns()
    assert [column for column in before if before[column] != after[column]] == list(columns_with_full([found]))


# Plug-ins of a design


def test_a_design_names_the_plugins_of_its_decisions_each_link_of_a_chain_by_itself(design):
    found = design.replaced(**OTHERS).components()
    assert [f"{kind} {spec}" for kind, spec in found] == [
        "filter k_core",
        "filter none",
        "split k_fold(k=5)",
        "targets one_r(n=99)",
        "nc append(by=popularity)",
        "users with_ratings(test=1)",
        "aggregate median",
        "test sign",
    ]


def test_a_design_names_the_plugins_that_a_stage_reads(design):
    assert [kind for kind, _ in design.components("aggregate")] == ["targets", "users", "aggregate"]
    assert [kind for kind, _ in design.components("test", "aggregate")] == ["targets", "users", "aggregate", "test"]


# Report and documentation


def test_the_report_explains_every_word():
    assert set(decisions._WORDS) == {(each.key, word) for each in DESIGN for word in each.words}


def test_a_settings_statement_names_every_decision_by_its_code(study, design):
    lines = statement({"S": design.replaced(fits=2)}, systems=study.systems, metrics=study.metrics, comparing=study.own)
    stated = {line.name: line.code for line in lines}
    assert {each.name: stated.get(each.name) for each in TABLE if each.key != "datasets"} == {
        each.name: each.code for each in TABLE if each.key != "datasets"
    }
    assert stated["Data set S"] == decision("datasets").code


def test_the_reference_gives_kinds_the_codes_of_their_decisions():
    stated = {
        kind.name: re.search(r"decision (\w+)", kind.intro)[1]
        for kind in kinds.KINDS
        if kind.name not in {"group", "figure", "claim", "analysis"}
    }
    assert stated == {each.kind: each.code for each in TABLE if each.kind}


def test_the_example_of_the_manual_has_every_decision():
    assert list(example.DESIGN) == [each.key for each in DESIGN]


def test_the_page_on_concepts_lists_every_decision_with_its_code_and_place():
    text = (ROOT / "docs/concepts.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\w+) \| [^|]+ \| ([^|]+) \| a (folder|column)", text, flags=re.MULTILINE)
    found = [(code, key, place) for code, keys, place in rows for key in re.findall(r"`(\w+)`", keys)]
    # The threshold of relevance is a column; if the choice of targets depends on it, it is also in their folder's name.
    placed = {each.key: "folder" if each.step and each.key != "relevance" else "column" for each in TABLE}
    assert sorted(found) == sorted((each.code, each.key, placed[each.key]) for each in TABLE)
