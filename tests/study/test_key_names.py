"""Keys of a study may have other names that are common in the field; the study stays the same."""

import pytest
from pydantic import ValidationError

from recsens.study import Study

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


def test_further_experiments_take_them_too():
    further = {"F": {"dataset": "Toy", "models": {"A": "random"}}}
    assert list(Study.model_validate({**OURS, "experiments": further}).experiments["F"].systems) == ["A"]
