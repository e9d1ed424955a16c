"""Keys of a study may have other names that are common in the field; the study stays the same."""

from functools import partial

import pytest
from pydantic import ValidationError

from approved import refusal
from recsens.study import Study
from recsens.vocabulary import VIEWS, rate_of

OURS = {
    "title": "x",
    "datasets": {"Toy": "simulated"},
    "systems": {"Popular": "popularity", "kNN": "item_knn(k=10)"},
    "metrics": ["Success@10", "AP"],
}
THEIRS = {
    "title": "x",
    "data": {"Toy": "simulated"},
    "models": {"Popular": "pop", "kNN": "ItemKNN(k=10)"},
    "metrics": ["HitRate@10", "MAP"],
}


def test_a_study_in_the_words_of_others_is_the_same(caplog):
    with caplog.at_level("INFO"):
        ours, theirs = Study.model_validate(OURS), Study.model_validate(THEIRS)
    assert (ours.datasets, ours.systems) == (theirs.datasets, theirs.systems)
    assert list(map(str, ours.metrics)) == list(map(str, theirs.metrics))
    said = [record.getMessage() for record in caplog.records]
    assert "key 'models' is read as systems" in said
    assert "key 'data' is read as datasets" in said


def test_a_key_under_two_names_is_refused_with_both():
    with pytest.raises(ValidationError, match="'systems' and 'models' are names of the same key"):
        Study.model_validate({**OURS, "models": {"B": "random"}})


def test_what_unrated_items_count_is_another_name_of_the_view(caplog):
    def study(key: str, first: str, second: str) -> Study:
        other = {"F": {"dataset": "Toy", "design": {key: second}, "vary": {key: [first]}}}
        claims = [{"claim": "wins(a=Popular,b=kNN)", "source": "a test", "under": {key: second}}]
        return Study.model_validate(
            {**OURS, "design": {key: first}, "vary": {key: [second]}, "experiments": other, "claims": claims}
        )

    with caplog.at_level("INFO"):
        assert study("unrated", "zero", "left_out") == study("view", "full", "condensed")
    assert "key 'unrated' is read as view: ['condensed']" in [record.getMessage() for record in caplog.records]
    # A label is no decision.
    assert Study.model_validate({**OURS, "systems": {"unrated": "random", "view": "popularity"}}).systems.keys() == {
        "unrated",
        "view",
    }


@pytest.mark.parametrize("key", ["view", "unrated"])
def test_unrated_items_may_count_as_relevant_under_both_names(key: str):
    study = Study.model_validate({**OURS, "design": {key: "rate(.05)"}, "vary": {key: ["relevant", "rate( 0.050 )", "rate(.1)"]}})
    assert [design.view for design in study.own.designs()] == ["rate(0.05)", "relevant", "rate(0.1)"]
    assert [rate_of(design.view) for design in study.own.designs()] == [0.05, 1.0, 0.1]
    assert {rate_of(view) for view in VIEWS} == {0.0}


def test_other_readings_are_refused_with_what_answers_them(approved):
    cases = (
        {"unrated": "rate(0)"},
        {"unrated": "rate(1.5)"},
        {"unrated": "full"},
        {"view": "zero"},
        {"unrated": "zero", "view": "full"},
    )
    told = {}
    for design in cases:
        asked = partial(Study.model_validate, {**OURS, "design": design})
        told[str(design)] = refusal(asked, ValidationError).partition("\n    For further information")[0]
    approved(told)


def test_further_experiments_take_them_too():
    further = {"F": {"dataset": "Toy", "models": {"A": "random"}}}
    assert list(Study.model_validate({**OURS, "experiments": further}).experiments["F"].systems) == ["A"]
