"""Items without a score: left out, or ranked last by another recommender."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsens import plugins
from recsens.errors import DesignError
from recsens.ranking import Rankings, rank
from recsens.recommenders import Recommender
from recsens.seeds import Stream
from recsens.testing import from_rows
from recsens.vocabulary import TIES, State

STREAM = Stream.of(1, "tiny")
X, NAN = None, math.nan


class Given(Recommender):
    """Scores written down beforehand."""

    def fit(self, train, rng):
        return self

    def score(self, train, users):
        return self._learned["scores"][users]


def ranked(scores, others, train, test, nc="append", *, targets="ar", ties="low_index", list_depth=9) -> Rankings:
    policy = plugins.build("nc", nc)
    fallback = Given().restore({"scores": np.asarray(others)})
    return rank(
        Given().restore({"scores": np.asarray(scores)}),
        train,
        test,
        targets=plugins.build("targets", targets),
        relevance=4,
        ties=ties,
        nc=policy,
        fallback=None if policy.fallback is None else fallback,
        list_depth=list_depth,
        tie_stream=STREAM,
        target_stream=STREAM,
    )


def column(found: Rankings, name: str) -> list:
    return [None if value is np.ma.masked else value for value in found.positions[name]]


TRAIN = from_rows([[X, X, X, X, X, 3], [X] * 6])
TEST = from_rows([[5, 4, X, 2, X, X], [X, X, X, X, 5, X]])
SCORES = [[NAN, -7.0, 1e300, NAN, -7.0, 0.5], [NAN] * 6]
OTHERS = [[0.1, 9.0, 9.0, 1e-300, 9.0, 9.0], [3.0, 3.0, NAN, 2.0, 2.0, 1.0]]


def test_what_is_filled_in_stands_below_all_that_is_scored():
    found = ranked(SCORES, OTHERS, TRAIN, TEST)
    assert column(found, "item") == [0, 1, 3, 4]
    assert column(found, "state") == [State.FILLED, State.SCORED, State.FILLED, State.FILLED]
    assert column(found, "score") == [None, -7.0, None, None]
    assert column(found, "above") == [3, 1, 4, 2]
    assert column(found, "tied") == [0, 1, 0, 1]
    assert column(found, "position") == [4, 2, 5, 4]
    assert found.users["targets"].tolist() == [5, 6]
    assert found.users["scored"].tolist() == [5, 5]
    assert found.users["filled"].tolist() == [2, 5]
    assert found.lists["item"].tolist() == [2, 1, 4, 0, 3, 0, 1, 3, 4, 5]
    np.testing.assert_array_equal(found.lists["score"], [1e300, -7, -7, NAN, NAN, *[NAN] * 5])


def test_dropped_items_are_not_ranked():
    found = ranked(SCORES, OTHERS, TRAIN, TEST, "drop")
    assert column(found, "state") == [State.NC, State.SCORED, State.NC, State.NC]
    assert column(found, "position") == [None, 2, None, None]
    assert found.users["filled"].tolist() == [0, 0]


def test_only_users_without_train_ratings_are_filled_where_the_policy_says_so():
    found = ranked(SCORES, OTHERS, TRAIN, TEST, "append(users=without_train)")
    assert column(found, "position") == [None, 2, None, 4]
    assert found.users["filled"].tolist() == [0, 5]


def test_what_is_merged_stands_where_its_score_puts_it():
    scores, others = [[2.0, 4.0, NAN, NAN, NAN]], [[1.0, 3.0, 2.0, 5.0, NAN]]
    train, test = from_rows([[X] * 5]), from_rows([[5] * 5])
    found = ranked(scores, others, train, test, "merge")
    # Over the first two items, scores are 3 ± 1 and those of the other 2 ± 1: its 2 and 5 become 3 and 6.
    assert column(found, "position") == [4, 2, 3, 1, None]
    assert column(found, "state") == [State.SCORED, State.SCORED, State.FILLED, State.FILLED, State.NC]
    assert column(found, "score") == [2, 4, None, None, None]
    np.testing.assert_array_equal(found.lists["score"], [NAN, 4, NAN, 2])
    assert (found.users["scored"].tolist(), found.users["filled"].tolist()) == ([4], [2])
    # As they are, 2 ties with the system's own 2, and low_index puts that first.
    as_they_are = ranked(scores, others, train, test, "merge(scale=none)")
    assert column(as_they_are, "position") == [3, 2, 4, 1, None]
    assert column(as_they_are, "tied") == [1, 0, 1, 0, None]


def test_a_scale_without_width_puts_all_that_is_merged_at_the_mean():
    train, test = from_rows([[X] * 4] * 3), from_rows([[5] * 4] * 3)
    # One item of its own; another recommender that scores both alike; nothing of its own.
    scores = [[7.0, NAN, NAN, NAN], [1.0, 3.0, NAN, NAN], [NAN] * 4]
    others = [[1.0, 2.0, 3.0, 4.0], [5.0, 5.0, 9.0, 1.0], [1.0, 2.0, 3.0, 4.0]]
    found = ranked(scores, others, train, test, "merge")
    assert column(found, "position") == [1, 2, 3, 4, 4, 1, 2, 3, 4, 3, 2, 1]
    assert column(found, "tied") == [3, 3, 3, 3, 0, 0, 1, 1, 0, 0, 0, 0]


def test_scores_too_far_apart_are_not_converted():
    huge = np.finfo(np.float64).max
    with pytest.raises(DesignError, match="cannot convert scores so far apart"):
        ranked([[huge, -huge, NAN]], [[1.0, 2.0, 3.0]], from_rows([[X] * 3]), from_rows([[5] * 3]), "merge")


def test_what_the_fallback_cannot_score_either_is_left_out():
    found = ranked([[NAN, 1.0]], [[NAN, 5.0]], from_rows([[X, X]]), from_rows([[5, X]]))
    assert column(found, "state") == [State.NC]
    assert found.users["scored"].tolist() == [1]


def test_a_relevant_item_is_filled_in_under_one_relevant_too():
    found = ranked(SCORES, OTHERS, TRAIN, TEST, targets="one_r")
    assert column(found, "item") == [0, 1, 4]
    # The others of user 0 are items 2, 3 and 4, of which 3 is below 0; the others of user 1 are 0, 1, 3 and 5.
    assert column(found, "position") == [3, 2, 4]
    assert column(found, "state") == [State.FILLED, State.SCORED, State.FILLED]
    assert found.positions["ranked"].tolist() == [4, 4, 5]
    assert found.users["filled"].tolist() == [1, 4]


values = st.sampled_from([0.0, -0.0, 1e-308, 1e308, -1e308, 0.1, np.nextafter(0.1, 1), -5.0, NAN])
rows = st.lists(st.lists(values, min_size=7, max_size=7), min_size=3, max_size=3)


@pytest.mark.parametrize("ties", TIES)
def test_neither_order_nor_tie_is_lost(ties):
    train, test = from_rows([[X] * 7] * 3), from_rows([[5] * 7] * 3)

    @given(rows, rows)
    def check(scores, others):
        found = ranked(scores, others, train, test, ties=ties)
        row = 0
        for user in range(3):
            keys = {}
            for item in range(7):
                if not math.isnan(scores[user][item]):
                    keys[item] = (1, scores[user][item])
                elif not math.isnan(others[user][item]):
                    keys[item] = (0, others[user][item])
            for item in range(7):
                expected = (None, None)
                if item in keys:
                    rest = [keys[other] for other in keys if other != item]
                    expected = (sum(other > keys[item] for other in rest), sum(other == keys[item] for other in rest))
                assert (found.positions["above"][row], found.positions["tied"][row]) == expected or (
                    item not in keys and found.positions["above"].mask[row]
                )
                row += 1

    check()
