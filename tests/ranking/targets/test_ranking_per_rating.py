"""1R: the items among which each relevant test rating is ranked."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsens import plugins
from recsens.errors import DesignError
from recsens.ranking.targets import ByRating, Targets
from recsens.seeds import Stream
from recsens.testing import from_rows

X = None
STREAM = Stream.of(0, "targets")

TRAIN = from_rows([[5, X, 3, X, X, X], [X, X, X, 1, X, X], [X, X, X, X, X, X]])
TEST = from_rows([[X, 4, X, 2, 5, X], [X, X, X, X, 5, X], [2, X, X, X, X, X]])


def built(spec: str) -> Targets:
    return plugins.build("targets", spec)


def by_rating(spec: str, train=TRAIN, test=TEST, relevance: float = 4, users=None) -> ByRating:
    asked = np.arange(train.n_users) if users is None else np.array(users)
    return built(spec).by_rating(train, test, asked, relevance, STREAM)


def sets(spec: str, train=TRAIN, test=TEST, relevance: float = 4) -> dict[tuple[int, int], set[int]]:
    """The non-relevant targets of each relevant rating, by user and item."""
    found = by_rating(spec, train, test, relevance)
    drawn = None if found.draw is None else found.draw()
    answer = {}
    for place, (user, item) in enumerate(zip(found.row.tolist(), found.items.tolist(), strict=True)):
        if drawn is None:
            others = found.pool[user] & (found.strata.of == found.strata.of[item])
            answer[user, item] = set(np.flatnonzero(others).tolist())
        else:
            answer[user, item] = set(drawn[place].tolist()) - {-1}
    return answer


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        pytest.param("one_r", {(0, 1): {3, 5}, (0, 4): {3, 5}, (1, 4): {0, 1, 2, 5}}, id="AI-AN"),
        pytest.param("one_r(items=test)", {(0, 1): {3}, (0, 4): {3}, (1, 4): {0, 1}}, id="TI-AN: 0, 1, 3, 4"),
        pytest.param("u1r", {(0, 1): {3}, (0, 4): {3}, (1, 4): {0, 1}}, id="the same under its name for uniform splits"),
        pytest.param("one_r(items=train)", {(0, 1): {3}, (0, 4): {3}, (1, 4): {0, 2}}, id="items of train: 0, 2, 3"),
        pytest.param("one_r(negatives=unrated)", {(0, 1): {5}, (0, 4): {5}, (1, 4): {0, 1, 2, 5}}, id="without the disliked 3"),
        pytest.param("one_r(n=2,negatives=unrated)", {(0, 1): {5}, (0, 4): {5}, (1, 4): None}, id="all that is left"),
        # By train ratings, then key: 0, 2, 3 | 1, 4, 5.
        pytest.param("p1r(m=2)", {(0, 1): {5}, (0, 4): {5}, (1, 4): {1, 5}}, id="percentiles"),
        pytest.param("p1r(m=3)", {(0, 1): {3}, (0, 4): {5}, (1, 4): {5}}, id="more percentiles: 0, 2 | 3, 1 | 4, 5"),
    ],
)
def test_selections_worked_by_hand(spec, expected):
    found = sets(spec)
    assert found.keys() == expected.keys()
    assert all(expected[key] is None or found[key] == expected[key] for key in expected)


def test_a_lower_threshold_makes_more_rankings_with_fewer_others():
    assert sets("one_r", relevance=2) == {
        (0, 1): {5},
        (0, 3): {5},
        (0, 4): {5},
        (1, 4): {0, 1, 2, 5},
        (2, 0): {1, 2, 3, 4, 5},
    }


def test_without_ratings_every_test_item_has_a_ranking():
    train, test = from_rows([[1, X, X, X]], with_ratings=False), from_rows([[X, 1, 1, X]], with_ratings=False)
    assert sets("one_r", train, test) == {(0, 1): {3}, (0, 2): {3}}


def test_sizes_count_the_item_itself_unless_it_is_no_candidate():
    assert by_rating("one_r").sizes.tolist() == [3, 3, 5]
    assert by_rating("one_r(n=3)").sizes.tolist() == [3, 3, 4]
    assert by_rating("p1r(m=2)").sizes.tolist() == [2, 2, 3]
    assert by_rating("one_r(items=train)").sizes.tolist() == [1, 1, 2]


def test_percentiles_go_with_the_item():
    assert by_rating("p1r(m=3)").groups.tolist() == [1, 2, 2]


def test_users_without_relevant_ratings_have_no_ranking():
    assert by_rating("one_r", users=[2]).indptr.tolist() == [0, 0]
    assert by_rating("one_r", users=[2, 0]).indptr.tolist() == [0, 0, 2]


sides = st.lists(st.lists(st.integers(0, 9), min_size=8, max_size=8), min_size=1, max_size=5)
SPECS = ["one_r", "one_r(n=2,draw=per_rating)", "p1r(m=3,n=1)", "rel_plus_n(n=3)", "u1r(n=2,sampling=popularity)"]


@given(sides, st.sampled_from(SPECS))
def test_no_target_is_a_train_item_and_none_but_its_own_is_relevant(rows, spec):
    train = from_rows([[3 if cell in (6, 7, 8) else X for cell in row] for row in rows])
    test = from_rows([[cell if 1 <= cell <= 5 else X for cell in row] for row in rows])
    unrated = plugins.build("targets", spec).selection.negatives == "unrated"
    found = sets(spec, train, test)
    assert found.keys() == {(user, item) for user, row in enumerate(rows) for item, cell in enumerate(row) if cell in (4, 5)}
    for (user, _), others in found.items():
        assert not {rows[user][other] for other in others} & ({1, 2, 3, 4, 5, 6, 7, 8} if unrated else {4, 5, 6, 7, 8})


def refusal(spec: str, train=TRAIN, test=TEST, relevance: float = 4) -> str:
    with pytest.raises(DesignError) as refused:
        built(spec).check(train, test, relevance)
    return str(refused.value)


def test_more_than_is_left_is_refused_with_what_fits(approved):
    cases = """
        one_r(n=3,short=refuse)  rel_plus_n(short=refuse)  p1r(m=2,n=2,short=refuse)  p1r(m=9)  p1r(m=6)
    """
    approved({spec: refusal(spec) for spec in cases.split()})


@pytest.mark.parametrize("spec", ["one_r(short=refuse)", "one_r(n=2,short=refuse)", "p1r(m=2,n=1,short=refuse)"])
def test_what_fits_is_not_refused(spec):
    built(spec).check(TRAIN, TEST, 4)


@pytest.mark.parametrize("spec", ["one_r", "one_r(n=3)", "p1r(m=2,n=2)", "rel_plus_n", "u1r(n=9)"])
def test_where_fewer_are_left_all_of_them_are_taken(spec):
    built(spec).check(TRAIN, TEST, 4)


def test_with_more_asked_for_than_anybody_has_left_all_are_targets():
    assert sets("p1r(m=2,n=9)") == sets("p1r(m=2)")
    assert sets("one_r(n=9)") == sets("one_r")


def test_the_sizes_of_samples_worked_by_hand():
    # Of items 1, 4 and 5, which form a percentile, user 0 likes two and user 1 one.
    samples = built("p1r(m=2,n=2)").samples(TRAIN, TEST, 4)
    assert samples.user.tolist() == [0, 0, 1]
    assert samples.left.tolist() == [1, 1, 2]
    assert samples.drawn.tolist() == [1, 1, 2]
    assert samples.is_short.tolist() == [True, True, False]
    assert built("p1r(m=2)").samples(TRAIN, TEST, 4) is None
    assert by_rating("p1r(m=2,n=2)").sizes.tolist() == [2, 2, 3]


def test_nothing_relevant_is_refused():
    assert "no test rating is relevant (at least 4)" in refusal("one_r", test=from_rows([[X, 3, X, X, X, X]] * 3))


def test_one_ranking_a_user_knows_no_rankings_of_ratings():
    with pytest.raises(TypeError, match="one ranking per user"):
        built("ar").by_rating(TRAIN, TEST, np.arange(3), 4, STREAM)


def test_the_unit_of_each_selection():
    units = {name: plugins.load("targets", name).unit for name in plugins.names("targets")}
    assert units == {
        "ar": "user",
        "listed": "user",
        "one_r": "rating",
        "p1r": "rating",
        "rel_plus_n": "rating",
        "u1r": "rating",
        "uar": "user",
    }
