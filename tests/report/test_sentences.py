"""Sentences of a study: contradictions come first, changes of significance are separate, and every claim has its number."""

import pytest

from recsens.conclusions.verdicts.verdict_table import judge
from recsens.report.sentences.contradictions import contradictions
from recsens.report.sentences.headline import headline
from recsens.report.sentences.meaning import meaning

LOW = {"design": {"split": "random(ratio=0.2)", "repeats": 2}, "vary": {"split": ["random(ratio=0.5)", "random(ratio=0.8)"]}}


def plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


@pytest.fixture
def verdicts_of(make_study, make_results):
    def make(**changes: object):
        study = make_study(**changes)
        tables = make_results(study)
        return [judge(part, tables.summary, tables.comparisons) for part in study.all_experiments()]

    return make


def test_headlines(verdicts_of, experiment, approved):
    """Opposite winners come first, and significance apart: kNN and MF cross on Alpha alone; on Beta they only come close."""
    low = {"design": {"split": "random(ratio=0.2)"}}
    alone = verdicts_of(systems={"MF": "lab_plugins.Factors"}, published=[], published_comparisons=[])
    assert contradictions(alone) == []
    studies = {
        "one pair turns": verdicts_of(**LOW),
        "another level": verdicts_of(**LOW, alpha=1e-9),
        "an experiment": verdicts_of(**LOW, experiments={"Little": experiment}),
        "nothing turns": verdicts_of(**low, vary={"view": ["condensed"]}),
        "one design": verdicts_of(**low, vary={}, metrics=["P@10"]),
        "one system": alone,
    }
    approved({name: headline(verdicts) for name, verdicts in studies.items()})


def test_a_contradiction_names_the_base_and_the_analyses_that_change_least(verdicts_of, approved):
    decided = contradictions(verdicts_of(**LOW))
    undecided = contradictions(verdicts_of(vary={"split": ["random(ratio=0.2)", "random(ratio=0.8)"]}, metrics=["P@10"]))
    approved([(found.base, *found.against, found.counts) for found in (*decided, *undecided)])


def test_where_less_is_better_the_winner_is_the_lower_one(verdicts_of, monkeypatch):
    for module in ("report.sentences.contradictions", "conclusions.verdicts.verdict_table"):
        monkeypatch.setattr(f"recsens.{module}.direction", lambda metric: -1)
    (found,) = contradictions(verdicts_of(**LOW))
    assert plain(found.base).endswith(
        "MF beats kNN on P@10 by .038 (95 % CI .028 to .048, p < .001 for these splits and fits, 943 users)."
    )


def test_the_reader_is_told_what_p_is_adjusted_for_and_that_rankings_of_ratings_weigh_users(study, results, approved):
    rows = results.comparisons
    columns = [
        ("correction", "none"),
        ("correction", "holm"),
        ("correction", "none bh"),
        ("targets", "one_r"),
        ("targets", "ar one_r"),
    ]
    told = {}
    for column, options in columns:
        tried = (options.split() * len(rows))[: len(rows)]
        told[f"{column}: {options}"] = meaning(study, rows.assign(**{column: tried})).replace(". ", ".\n")
    approved(told)


def test_an_average_over_nobody_is_noticed(verdicts_of):
    verdicts = verdicts_of(**LOW)
    for base in verdicts[0].base.values():
        base["users"] = 0
    assert "have no users to average: see B1" in headline(verdicts)
