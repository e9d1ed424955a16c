"""What an analysis scores against the truth, pair by pair."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from recsens.conclusions.scorecard import conditions, scores
from recsens.plugins.specs import parse

values = st.lists(st.integers(0, 4), min_size=3, max_size=7)


def sides(of: list[int]) -> np.ndarray:
    return np.array([np.sign(a - b) for a, b in combinations(of, 2)])


@given(st.integers(3, 7).flatmap(lambda n: st.tuples(*[st.lists(st.integers(0, 4), min_size=n, max_size=n)] * 2)))
def test_tau_is_kendalls_tau_b_of_the_values(both):
    a, t = map(sides, both)
    found = scores(a, a, t, t)
    np.testing.assert_allclose(found.tau, kendalltau(*both).statistic, atol=1e-12)


@given(st.lists(st.tuples(*[st.sampled_from([-1, 0, 1])] * 2), min_size=1, max_size=20))
def test_shares_are_of_the_pairs_that_the_truth_decides(pairs):
    winner, true = np.array(pairs).T
    found = scores(winner, winner, true, true)
    decided = [(w, t) for w, t in pairs if t != 0]
    assert (found.pairs, found.decided) == (len(pairs), len(decided))
    if not decided:
        assert np.isnan([found.right, found.wrong, found.open]).all()
        return
    expected = [sum(case(w, t) for w, t in decided) / len(decided) for case in (_alike, _otherwise, _open)]
    assert [found.right, found.wrong, found.open] == pytest.approx(expected)
    assert sum(expected) == pytest.approx(1)


def _alike(w, t):
    return w == t


def _otherwise(w, t):
    return w == -t


def _open(w, t):
    return w == 0


def test_a_reversed_order_is_wrong_throughout():
    truth = sides([3, 2, 1])
    assert scores(-truth, -truth, truth, truth) == (-1, 0, 1, 0, 3, 3)
    # No pair is decided: the order is right, but every pair is open.
    assert scores(truth, 0 * truth, truth, truth) == (1, 0, 0, 1, 3, 3)


def test_data_sets_that_differ_in_the_replicate_alone_are_one_condition():
    labelled = {
        "mnar 0 first": "simulated(mnar=0)",
        "mnar 0 second": "simulated(mnar=0,replicate=1)",
        "mnar 4": "simulated(mnar=4)",
        "one": "simulated(mnar=1)",
        "two": "simulated(mnar=1,replicate=7)",
    }
    found = conditions({label: parse(spec) for label, spec in labelled.items()})
    assert found == {"mnar 0": ["mnar 0 first", "mnar 0 second"], "mnar 4": ["mnar 4"], "one": ["one", "two"]}
