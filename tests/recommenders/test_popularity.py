"""Popularity: hand-counted."""

import numpy as np
import pytest

from recsens.files.scale import Scale
from recsens.recommenders.trivial import Popularity
from recsens.testing import from_rows

ROWS = [[5, 1, None, None], [4, 2, None, 3], [None, 3, None, None]]


@pytest.mark.parametrize(
    ("of", "expected"), [("count", [2, 3, np.nan, 1]), ("positive", [2, 0, np.nan, 0]), ("sum", [9, 6, np.nan, 3])]
)
def test_items_score_what_their_ratings_add_up_to(of, expected):
    train = from_rows(ROWS)
    scores = Popularity(of=of).fit(train, np.random.default_rng()).score(train, np.array([0, 2]))
    np.testing.assert_array_equal(scores, [expected, expected])


@pytest.mark.parametrize("of", ["count", "positive", "sum"])
def test_without_ratings_every_interaction_counts_once(of):
    train = from_rows(ROWS, with_ratings=False)
    scores = Popularity(of=of).fit(train, np.random.default_rng()).score(train, np.array([1]))
    np.testing.assert_array_equal(scores, [[2, 3, np.nan, 1]])


def test_relevance_follows_the_scale_of_the_data():
    # On 0.5 to 4 in halves, ratings from 3.5 up are relevant.
    train = from_rows([[3.5, 3.0], [4.0, 2.0]], scale=Scale(0.5, 4.0, 0.5))
    scores = Popularity(of="positive").fit(train, np.random.default_rng()).score(train, np.array([0]))
    np.testing.assert_array_equal(scores, [[2, 0]])
