"""Words of the glossary have one meaning: no module, class or column uses one of them in another sense."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pyarrow as pa
import pytest

import recsens
from recsens.artefacts import schemas
from recsens.study.columns import TABLES
from workspaces import REPOSITORY

ROOT = Path(recsens.__file__).parent


@dataclass(frozen=True)
class Word:
    """The forms of a word, and where names may contain it: in which modules (or packages, with a final dot) and which columns."""

    forms: str
    modules: frozenset[str] = frozenset()
    columns: frozenset[str] = frozenset()


def word(forms: str, modules: str = "", columns: str = "") -> Word:
    return Word(forms, frozenset(modules.split()), frozenset(columns.split()))


WORDS = {
    # An analysis belongs to a study; an analysis of metrics is called a metric analysis (see the test below).
    "analysis": word(r"analys[ei]s", "runs.audits._analyses", columns="joint.analyses shortest.analyses"),
    "truth": word("truths?|true", "conclusions.scorecard", "truth.true_metric"),
    "judged": word(
        "judged|judging|judgements?",
        "metrics._judged metrics.incomplete_judgements ranking.kernels. ranking._positions conclusions.meta._judged_rankings "
        "score_files. runs.evaluation._ranking",
    ),
    "score": word(
        "scores?|scored|scoring",
        "recommenders. ranking. score_files. runs.evaluation._file_positions",
        "matched.file_scores matched.unknown_scores POSITIONS.score RATING_POSITIONS.score LISTS.score "
        "RANKED_USERS.scored summary.scored",
    ),
    "source": word("sources?", columns="summary.source comparisons.source claims.source"),
    "asked": word("asks?|asked", "workflow.ask.", "claims.asked_low claims.asked_high"),
    "part": word("parts?"),
    "winner": word(
        "winners?|wins?|won",
        "outcomes.winner workflow.steps.decide_winners conclusions.claims.systems runs.audits._sentences "
        "runs.audits._required_wins",
        "verdicts.winner effort.winner over_datasets.winner groups.winner joint.wins_a joint.wins_b joint.p_wins",
    ),
    "design": word(
        "designs?",
        "study.design study.designs study.model conclusions.design_space "
        "report.tables.coverage workflow.steps.score_designs errors",
    ),
    "check": word(
        "checks?|checked",
        "study.checks workflow.plan workflow.steps.check_targets recommenders._memory_check",
    ),
    "reference": word("references?", "study.model", "truth.is_reference"),
}

KEPT = {
    ("score", "report.figures.by_option"): "studies write the name of this figure",
    ("score", "workflow.steps.score_designs"): "results state the name of the step",
    ("analysis", "findings.analysis"): "programs read this column",
}
"""Names that use a word in another sense, and why they stay."""


def words_in(name: str) -> list[str]:
    """Split a name in snake or camel case."""
    return [each.lower() for each in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name)]


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(set(ROOT.rglob("*.py")) - set(ROOT.glob("exporter/*.py"))):
        yield ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"), path


@cache
def names_in_code() -> list[tuple[str, str]]:
    """List the names of modules, packages and classes, each with its module."""
    names = []
    for module, path in modules():
        classes = [node.name for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, ast.ClassDef)]
        names += [(name, module) for name in [module.rpartition(".")[2], *classes]]
    return names


def names_of_columns() -> Iterator[tuple[str, str]]:
    """Visit the columns of all tables of a study and of all binary files, each with its table."""
    for table in TABLES:
        yield from ((column.name, f"{table}.{column.name}") for column in TABLES[table].columns)
    for table, schema in vars(schemas).items():
        if isinstance(schema, pa.Schema):
            yield from ((column, f"{table}.{column}") for column in schema.names)


def holds(name: str, forms: str) -> bool:
    return any(re.fullmatch(forms, each) for each in words_in(name))


def is_within(module: str, places: frozenset[str]) -> bool:
    return module in places or any(f"{module}.".startswith(place) for place in places if place.endswith("."))


def is_metric_analysis(name: str) -> bool:
    """Whether every ``analysis`` in a name is one of metrics, as in `MetricAnalysis` or ``analyse_metrics``."""
    return bool(re.search("metric_?analys[ei]s|analyse_metrics", name, re.IGNORECASE))


def rows_of_glossary() -> dict[str, str]:
    page = (REPOSITORY / "docs/glossary.md").read_text(encoding="utf-8").partition("\n## ")[0]
    return dict(re.findall(r"^\| (.+?) \| (.+) \|$", page, re.MULTILINE))


@pytest.mark.parametrize("term", WORDS)
def test_the_glossary_says_in_one_line_what_a_word_means(term):
    assert [key for key in rows_of_glossary() if term in re.split(", | or ", key)] == [term]


@pytest.mark.parametrize("term", WORDS)
def test_a_word_of_the_glossary_has_no_second_meaning_in_names(term):
    meant = WORDS[term]
    strangers = {
        (name, place)
        for name, place in names_in_code()
        if holds(name, meant.forms)
        and not is_within(place, meant.modules)
        and not (term == "analysis" and is_metric_analysis(name))
    } | {(name, place) for name, place in names_of_columns() if holds(name, meant.forms) and place not in meant.columns}
    strangers = {(name, place) for name, place in strangers if (term, place) not in KEPT}
    assert not strangers, f"the glossary says what '{term}' means: choose another word, or list the place in WORDS if it means that"


def test_every_place_that_is_listed_uses_its_word():
    in_code, in_tables = names_in_code(), list(names_of_columns())
    for term, meant in WORDS.items():
        named = {place for name, place in in_code if holds(name, meant.forms)}
        assert not [place for place in meant.modules if not any(is_within(each, frozenset({place})) for each in named)], term
        assert meant.columns <= {place for name, place in in_tables if holds(name, meant.forms)}, term
    used = {(term, place) for term, meant in WORDS.items() for name, place in [*in_code, *in_tables] if holds(name, meant.forms)}
    assert KEPT.keys() <= used
