"""Side information: typed columns, and refusals if something is missing."""

from dataclasses import replace

import numpy as np
import pytest

from recsens.data.datasets.movielens import MovieLens
from recsens.data.interactions import SideColumn, SideTable, refuse_missing
from recsens.errors import DataError, DesignError
from recsens.pipeline.fitting import fit_recommender
from recsens.recommenders.trivial import Popularity
from recsens.seeds import Origin
from recsens.testing import from_rows

ORIGIN = Origin(0, "mine", "repeat-0")


def test_columns_are_typed_by_what_they_hold():
    table = SideTable.of({"age": [31, None], "gender": ["M", "F"], "genres": [["War", "Drama"], []]})
    assert {name: column.kind for name, column in table.columns.items()} == {"age": "number", "gender": "category", "genres": "set"}
    assert table.columns["gender"].levels == ("F", "M")
    assert table.columns["gender"].features.toarray().tolist() == [[0, 1], [1, 0]]
    assert table.columns["genres"].features.toarray().tolist() == [[1, 1], [0, 0]]
    assert table.columns["age"].missing.tolist() == [False, True]
    assert table.columns["genres"].missing.tolist() == [False, False]


@pytest.mark.parametrize("values", [["M", 3], [float("nan")], [True], [[1]]])
def test_odd_values_are_refused_with_the_column(values):
    with pytest.raises(DataError, match="'age'"):
        SideColumn.of("age", values)


def test_tables_stay_with_a_choice_of_interactions():
    table = SideTable.of({"age": [31, 40]})
    interactions = replace(from_rows([[5, 4], [3, None]]), user_table=table)
    assert interactions.take(np.array([True, False, False])).user_table.columns["age"].features.toarray().tolist() == [[31], [40]]
    devices = SideTable.of({"device": ["phone", "desk", "phone"]})
    taken = replace(interactions, context_table=devices).take(np.array([True, False, True])).context_table.columns["device"]
    assert (taken.levels, taken.features.toarray().tolist()) == (("desk", "phone"), [[0, 1], [0, 1]])
    assert table.take(np.array([1])).columns["age"].features.toarray().tolist() == [[40]]


def test_a_lack_names_data_set_system_and_columns():
    with pytest.raises(DesignError) as refused:
        refuse_missing(["user.aeg"], {"user": ["age"], "item": []}, dataset="Mine", system="NN")
    assert all(word in str(refused.value) for word in ("Mine", "NN", "user.aeg", "user.age"))


def test_movielens_declares_its_columns_without_titles():
    assert MovieLens(release="1m").side_columns == {"user": ("age", "gender", "occupation"), "item": ("genres",)}
    assert MovieLens(release="25m").side_columns == {"item": ("genres",)}


class Young(Popularity):
    """Popularity that declares a need for ages."""

    needs = ("user.age",)


def test_a_fit_refuses_what_a_data_set_turns_out_to_lack():
    with pytest.raises(DesignError, match=r"user\.age"):
        fit_recommender(Young(), from_rows([[5, 4], [3, None]]), ORIGIN)


def test_a_need_of_a_context_is_met_by_the_table_of_interactions():
    class Mobile(Popularity):
        needs = ("context.device",)

    train = from_rows([[5, 4], [3, None]])
    with pytest.raises(DesignError, match=r"context\.device"):
        fit_recommender(Mobile(), train, ORIGIN)
    fit_recommender(Mobile(), replace(train, context_table=SideTable.of({"device": ["a", None, "b"]})), ORIGIN)


def test_who_takes_what_there_is_says_that_there_is_nothing(caplog):
    fit_recommender("fm(epochs=1)", from_rows([[5, 4], [3, None]]), ORIGIN)
    assert "it is fitted on interactions only" in caplog.text


def test_nothing_is_said_where_side_information_is_not_read(caplog):
    fit_recommender("popularity", from_rows([[5, 4], [3, None]]), ORIGIN)
    assert caplog.text == ""
