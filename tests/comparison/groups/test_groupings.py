"""Groupings: who is in which group, by hand; missing columns, too many words, and refusals of groups by the test set."""

import numpy as np
import pytest

from recsens import plugins
from recsens.comparison.groups import Grouping
from recsens.data.interactions import Interactions, SideTable
from recsens.errors import DesignError, SpecError
from recsens.files.scale import Scale

USER_COUNTS = [0, 1, 1, 2, 4, 7]
ITEM_COUNTS = [8, 4, 2, 1, 0]


def train(counts: list[int], n_others: int = 20, **tables: SideTable) -> Interactions:
    """Return the train set of users with these numbers of ratings."""
    user = np.repeat(np.arange(len(counts)), counts).astype(np.int32)
    item = np.concatenate([np.arange(n) for n in counts]).astype(np.int32)
    keys = (np.arange(len(counts)), np.arange(n_others))
    return Interactions(user, item, None, None, *keys, Scale(), **tables)


def transposed(counts: list[int], **tables: SideTable) -> Interactions:
    """Return the train set of items with these numbers of ratings."""
    given = train(counts)
    return Interactions(given.item, given.user, None, None, given.item_keys, given.user_keys, Scale(), **tables)


@pytest.mark.parametrize("spec", ["activity(n=4)", "popularity(n=3)", "cold(of=items)"])
def test_groupings_that_need_no_data_know_their_groups(spec: str):
    grouping, given = plugins.build("group", spec), train([0, 1, 2, 3, 5, 8])
    assert isinstance(grouping, Grouping)
    assert set(grouping.divide(given)) <= set(grouping.labels)
    assert len(set(grouping.labels)) == len(grouping.labels)


def members(spec: str, given: Interactions) -> dict[str, list[int]]:
    grouping = plugins.build("group", spec)
    assert isinstance(grouping, Grouping)
    return {label: np.flatnonzero(own).tolist() for label, own in grouping.divide(given).items()}


@pytest.mark.parametrize(
    ("spec", "groups"),
    [
        # Of five users with ratings, 2 have fewer than two, 3 fewer than four and 4 fewer than seven: floor(3 W / 5) is 1, 1 and 2.
        ("activity", {"no train ratings": [0], "least active": [1, 2], "2 of 3": [3, 4], "most active": [5]}),
        ("activity(n=2)", {"no train ratings": [0], "least active": [1, 2, 3], "most active": [4, 5]}),
        ("cold", {"cold": [0], "not cold": [1, 2, 3, 4, 5]}),
        ("cold(most=1)", {"cold": [0, 1, 2], "not cold": [3, 4, 5]}),
    ],
)
def test_users_by_train_ratings(spec: str, groups: dict[str, list[int]]):
    assert members(spec, train(USER_COUNTS)) == groups


@pytest.mark.parametrize(
    ("spec", "groups"),
    [
        # Of 15 ratings, 0, 8, 12 and 14 are of more popular items.
        ("popularity", {"no train ratings": [4], "most popular": [0], "2 of 3": [1], "least popular": [2, 3]}),
        ("popularity(n=2)", {"no train ratings": [4], "most popular": [0], "least popular": [1, 2, 3]}),
        ("cold(of=items)", {"cold": [4], "not cold": [0, 1, 2, 3]}),
    ],
)
def test_items_by_train_ratings(spec: str, groups: dict[str, list[int]]):
    assert members(spec, transposed(ITEM_COUNTS)) == groups


def test_equally_active_users_are_one_group():
    assert members("activity", train([3, 3, 3])) == {"least active": [0, 1, 2]}


TABLE = SideTable.of({"age": [18, 30, 30, None, 44, 60], "job": ["a", None, "b", "a", "b", "b"]})
GENRES = SideTable.of({"genres": [["War", "Drama"], ["War"], [], None, ["Comedy"]]})


def test_columns_by_word_number_and_several_words():
    users, items = train(USER_COUNTS, user_table=TABLE), transposed(ITEM_COUNTS, item_table=GENRES)
    assert members("column(job)", users) == {"a": [0, 3], "b": [2, 4, 5], "no value": [1]}
    assert members("column(age,n=2)", users) == {"18 to 30": [0, 1, 2], "44 to 60": [4, 5], "no value": [3]}
    assert members("column(age,n=5)", users) == {"18": [0], "30": [1, 2], "44": [4], "60": [5], "no value": [3]}
    assert members("column(genres,of=items)", items) == {"Comedy": [4], "Drama": [0], "War": [0, 1], "no value": [2, 3]}


def test_different_numbers_and_words_have_different_labels():
    large = SideTable.of({"id": [1234561, 1234562, 1234563, 1234564, 1234565, None], "share": [0.1, 0.1 + 1e-9, 0.1, 2.5, 2.5, -1]})
    users = train(USER_COUNTS, user_table=large)
    assert members("column(id,n=5)", users) == {**{str(1234561 + nth): [nth] for nth in range(5)}, "no value": [5]}
    assert members("column(share,n=4)", users) == {"-1": [5], "0.1": [0, 2], "0.100000001": [1], "2.5": [3, 4]}
    words = SideTable.of({"job": ["no value", None, "b", "(no value)", "b", None]})
    found = members("column(job)", train(USER_COUNTS, user_table=words))
    assert found == {"no value": [0], "(no value)": [3], "b": [2, 4], "((no value))": [1, 5]}


def test_a_missing_column_is_named_with_its_neighbours():
    grouping = plugins.build("group", "column(ages)")
    assert isinstance(grouping, Grouping)
    assert grouping.lacks(train(USER_COUNTS, user_table=TABLE)) == "the table of users has only age, job; did you mean 'age'?"
    assert grouping.lacks(train(USER_COUNTS)) == "the table of users is empty"


def test_a_column_of_names_is_refused():
    names = SideTable.of({"name": [f"n{user}" for user in range(51)]})
    with pytest.raises(DesignError, match="holds 51 different words"):
        members("column(name)", train([1] * 51, user_table=names))


@pytest.mark.parametrize("spec", ["activity(of=test)", "activity(test=3)", "column(relevant)", "cold(test)"])
def test_groups_by_the_test_set_are_refused(spec: str):
    with pytest.raises(SpecError, match="condition on the result"):
        plugins.build("group", spec)


def test_ones_own_grouping_sees_only_train_and_must_return_masks():
    class Halves(Grouping):
        """Divide users into halves."""

        as_numbers: bool = False

        def divide(self, train):
            half = np.arange(train.n_users) % 2
            return {"even": half if self.as_numbers else half == 0}

    assert Halves().divide(train([1, 1, 1]))["even"].tolist() == [True, False, True]
    with pytest.raises(DesignError, match="groups"):
        Halves(as_numbers=True).divide(train([1, 1, 1]))
