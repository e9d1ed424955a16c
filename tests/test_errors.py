"""Errors say what is wrong, where, what is allowed, and what to do."""

import pytest

from recsens.errors import ArtefactError, ConfigError, DataError, DesignError, RecsensError, SpecError, nearest


def test_a_message_names_place_problem_allowed_and_remedy_in_that_order():
    error = ConfigError("unknown key 'k'", where="study.yaml: design", allowed="split, view", remedy="see config/README.md")
    assert str(error) == "study.yaml: design: unknown key 'k'\n  allowed: split, view\n  what to do: see config/README.md"


def test_what_is_not_known_is_left_out():
    assert str(DataError("is empty")) == "is empty"
    assert str(DataError("is empty", remedy="fetch it again")) == "is empty\n  what to do: fetch it again"


def test_outer_places_come_first_and_the_kind_of_error_stays():
    error = SpecError("k = 0", where="recommender 'user_knn(k=0)'", allowed="k >= 1").at("systems.kNN").at("study.yaml")
    assert type(error) is SpecError
    assert str(error) == "study.yaml: systems.kNN: recommender 'user_knn(k=0)': k = 0\n  allowed: k >= 1"


@pytest.mark.parametrize("kind", [SpecError, ConfigError, DataError, DesignError, ArtefactError])
def test_every_error_about_input_is_caught_as_one(kind):
    with pytest.raises(RecsensError, match="culprit"):
        raise kind("culprit")


@pytest.mark.parametrize(
    ("name", "found"),
    [("temporl", "temporal"), ("TEMPORAL", "temporal"), ("ndcg", "nDCG"), ("user_nkn", "user_knn"), ("Popularty", "popularity")],
)
def test_the_nearest_name_is_suggested_whatever_its_case(name, found):
    assert nearest(name, ["temporal", "random", "nDCG", "user_knn", "popularity"]) == f"; did you mean '{found}'?"


def test_nothing_is_suggested_where_nothing_is_near():
    assert nearest("xyzzy", ["temporal", "random"]) == ""
    assert nearest("temporal", []) == ""
