"""AR: which items the single ranking of each user contains."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from approved import refusal
from recsens import plugins
from recsens.errors import DesignError
from recsens.ranking.targets import Targets
from recsens.seeds import Stream
from recsens.testing import from_rows

X = None
STREAM = Stream.of(0, "targets")

TRAIN = from_rows([[5, X, 3, X, X, X], [X, X, X, 1, X, X], [X, X, X, X, X, X]])
TEST = from_rows([[X, 4, X, 2, X, X], [X, X, X, X, 5, X], [2, X, X, X, X, X]])


def built(spec: str) -> Targets:
    return plugins.build("targets", spec)


def chosen(spec: str, train=TRAIN, test=TEST, users=None, relevance: float = 4, stream: Stream = STREAM) -> list[set[int]]:
    """Each user's target items."""
    asked = np.arange(train.n_users) if users is None else np.array(users)
    return [set(np.flatnonzero(row).tolist()) for row in built(spec).mask(train, test, asked, relevance, stream)]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        pytest.param("ar", [{1, 3, 4, 5}, {0, 1, 2, 4, 5}, {0, 1, 2, 3, 4, 5}], id="all items but those of train"),
        pytest.param("ar(items=test)", [{1, 3, 4}, {0, 1, 4}, {0, 1, 3, 4}], id="items with a test rating: 0, 1, 3, 4"),
        pytest.param("ar(items=train)", [{3}, {0, 2}, {0, 2, 3}], id="items with a train rating: 0, 2, 3"),
        pytest.param("ar(negatives=unrated)", [{1, 4, 5}, {0, 1, 2, 4, 5}, {1, 2, 3, 4, 5}], id="without the disliked 3 and 0"),
        pytest.param("ar(n=3)", [{1, 3, 4, 5}, None, None], id="a sample of all that is left"),
        pytest.param("ar(n=2,negatives=unrated)", [{1, 4, 5}, None, None], id="a sample of all that is unrated"),
        pytest.param("uar", [{1, 3, 4}, {0, 1, 4}, {0, 1, 3, 4}], id="uniform"),
    ],
)
def test_selections_worked_by_hand(spec, expected):
    for found, wanted in zip(chosen(spec), expected, strict=True):
        assert wanted is None or found == wanted


def test_rows_follow_the_users_asked_for():
    assert chosen("ar", users=[2, 0, 0]) == [{0, 1, 2, 3, 4, 5}, {1, 3, 4, 5}, {1, 3, 4, 5}]


def test_a_train_rating_of_zero_is_a_train_rating():
    assert chosen("ar", from_rows([[0, X]]), from_rows([[X, X]])) == [{1}]


def test_a_sample_holds_all_relevant_items_and_n_others():
    for user, found in enumerate(chosen("ar(n=2)")):
        relevant = {0: {1}, 1: {4}, 2: set()}[user]
        assert relevant <= found
        assert len(found) == len(relevant) + 2


def test_without_ratings_every_test_item_is_relevant():
    train, test = from_rows([[1, X, X, X]], with_ratings=False), from_rows([[X, 1, 1, X]], with_ratings=False)
    assert chosen("ar(n=1)", train, test) == [{1, 2, 3}]


def test_which_selections_look_at_the_test_set_and_the_threshold():
    looks = {
        spec: (built(spec).uses_test, built(spec).uses_relevance)
        for spec in ("ar", "ar(items=train)", "ar(items=test)", "ar(n=5)", "ar(negatives=unrated)", "uar", "one_r")
    }
    assert looks == {
        "ar": (False, False),
        "ar(items=train)": (False, False),
        "ar(items=test)": (True, False),
        "ar(n=5)": (True, True),
        "ar(negatives=unrated)": (True, True),
        "uar": (True, False),
        "one_r": (True, True),
    }


sides = st.lists(st.lists(st.integers(0, 7), min_size=8, max_size=8), min_size=1, max_size=5)


@given(
    sides,
    st.sampled_from(["ar", "ar(n=2)", "ar(n=3,sampling=popularity)", "ar(items=test)", "ar(n=2,items=train,negatives=unrated)"]),
)
def test_no_target_is_a_train_item(rows, spec):
    train = from_rows([[3 if cell in (1, 2, 3) else X for cell in row] for row in rows])
    test = from_rows([[cell - 1 if cell in (4, 5, 6) else X for cell in row] for row in rows])
    for row, found in zip(rows, chosen(spec, train, test), strict=True):
        assert not found & {item for item, cell in enumerate(row) if cell in (1, 2, 3)}


def test_more_than_is_left_is_refused_with_what_fits(approved):
    cases = """
        ar(n=4,short=refuse)  ar(n=9,short=refuse)  ar(n=3,sampling=popularity,short=refuse)
    """
    approved({spec: refusal(partial(built(spec).check, TRAIN, TEST, 4), DesignError) for spec in cases.split()})


def test_what_fits_is_not_refused():
    for spec in ("ar", "ar(n=3)", "ar(n=1,sampling=popularity)", "ar(items=test,n=2)", "ar(items=train)"):
        built(spec.replace(")", ",short=refuse)")).check(TRAIN, TEST, 4)


@pytest.mark.parametrize("spec", ["ar(n=4)", "ar(n=9)", "ar(n=3,sampling=popularity)"])
def test_where_fewer_are_left_all_of_them_are_taken(spec):
    built(spec).check(TRAIN, TEST, 4)


def test_with_more_asked_for_than_anybody_has_left_all_are_targets():
    assert chosen("ar(n=9)") == chosen("ar") == chosen("ar(n=9,short=refuse)")


def test_the_sizes_of_samples_worked_by_hand():
    # Apart from the relevant item 1, user 0 has items 3, 4 and 5 left; user 1 has 0, 1, 2 and 5; user 2 has all six.
    samples = built("ar(n=4)").samples(TRAIN, TEST, 4)
    assert samples.user.tolist() == [0, 1, 2]
    assert samples.left.tolist() == [3, 4, 6]
    assert samples.drawn.tolist() == [3, 4, 4]
    assert samples.is_short.tolist() == [True, False, False]
    assert built("ar").samples(TRAIN, TEST, 4) is None


def test_no_candidate_at_all_is_refused():
    with pytest.raises(DesignError, match="no item has a test rating"):
        built("ar(items=test)").check(TRAIN, from_rows([[X] * 6] * 3), 4)
