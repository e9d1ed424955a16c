"""Policies for not computable items: whose rankings are filled up, and with what."""

import numpy as np
import pytest

from recsens import plugins
from recsens.errors import SpecError
from recsens.plugins.specs import parse

COUNTS = np.array([0, 3, 0, 1])


@pytest.mark.parametrize(
    ("spec", "fallback", "fills"),
    [
        ("drop", None, [False, False, False, False]),
        ("append", "random", [True, True, True, True]),
        ("append(by=popularity)", "popularity", [True, True, True, True]),
        ("append(popularity)", "popularity", [True, True, True, True]),
        ("append(by=user_knn(k=5),users=without_train)", "user_knn(k=5)", [True, False, True, False]),
        ("merge", "average_rating", [True, True, True, True]),
        ("merge(by=popularity,users=without_train)", "popularity", [True, False, True, False]),
    ],
)
def test_who_is_filled_in_and_by_what(spec, fallback, fills):
    policy = plugins.build("nc", spec)
    assert policy.fallback == (None if fallback is None else parse(fallback))
    assert policy.fills(COUNTS).tolist() == fills


def test_a_fallback_that_does_not_exist_is_refused():
    with pytest.raises(SpecError, match="unknown recommender 'popularty'"):
        plugins.build("nc", "append(by=popularty)")


def test_scores_that_differ_only_by_rounding_of_their_mean_all_become_the_mean():
    # The mean of three 3.7 is rounded, so their deviation is 4.4e-16; the last item has no score of the system's own.
    own, others = np.array([[1.0, 2.0, 3.0, np.nan]]), np.array([[3.7, 3.7, 3.7, 4.1]])
    found = plugins.build("nc", "merge").converted(own, others, np.ones((1, 4), dtype=bool))
    assert found[0] == pytest.approx([2, 2, 2, 2])
