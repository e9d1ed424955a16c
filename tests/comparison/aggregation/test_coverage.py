"""C4: coverage, who counts in a full and in a reduced average, and how the two are related."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from recsens.comparison.aggregation import Cover, counted, identity_gap


def cover(listed, *depths: int, rankings=None) -> Cover:
    """One ranking per user, of some length."""
    listed = np.asarray(listed)
    rankings = np.ones(len(listed), dtype=np.int64) if rankings is None else np.asarray(rankings)
    return Cover(rankings, (listed > 0).astype(np.int64), {depth: np.minimum(listed, depth) for depth in depths})


EVERYBODY = np.ones(5, dtype=bool)


@pytest.mark.parametrize(("depth", "share"), [(10, 0.62), (5, 0.76), (1, 0.8)])
def test_the_coverage_vector(depth, share):
    assert cover([10, 4, 0, 7, 10], depth).at(EVERYBODY, depth) == pytest.approx(share, abs=1e-15)


def test_users_with_nothing_to_cover_do_not_count():
    # The third user has no target: the four other users have something to rank, and all are covered.
    found = cover([10, 4, 0, 7, 10], 5, rankings=[1, 1, 0, 1, 1])
    assert found.share(EVERYBODY) == 1
    assert found.at(EVERYBODY, 5) == pytest.approx(19 / 20)


def test_of_ratings_with_rankings_of_their_own_those_ranked_are_covered():
    # Three ratings of the first user, one of them ranked; one of the second, not ranked. Lists of 2, 2, 1 and 4 items.
    found = Cover(np.array([3, 1]), np.array([1, 0]), {3: np.array([2 + 2 + 1, 3])})
    assert found.share(EVERYBODY[:2]) == 1 / 4
    assert found.at(EVERYBODY[:2], 3) == pytest.approx(8 / 12)
    assert found.share(np.array([True, False])) == pytest.approx(1 / 3)


def test_coverage_of_nobody_is_not_a_number():
    nobody = np.zeros(5, dtype=bool)
    assert math.isnan(cover([1, 2, 3, 4, 5], 10).at(nobody, 10))
    assert math.isnan(cover([1, 2, 3, 4, 5], 10).share(nobody))


@given(arrays(np.int64, st.integers(1, 20), elements=st.integers(0, 30)), st.integers(1, 40))
def test_coverage_at_one_is_user_coverage_and_deeper_coverage_never_grows(listed, depth):
    found, everybody = cover(listed, 1, depth, depth + 1), np.ones(len(listed), dtype=bool)
    assert found.at(everybody, 1) == found.share(everybody) == pytest.approx((listed > 0).mean())
    assert 0 <= found.at(everybody, depth + 1) <= found.at(everybody, depth) <= 1


def test_full_averages_count_every_admitted_user_and_reduced_ones_the_covered():
    admitted, listed = np.array([True, True, False, True]), np.array([3, 0, 5, 1])
    assert counted(admitted, listed, "full").tolist() == [True, True, False, True]
    assert counted(admitted, listed, "reduced").tolist() == [True, False, False, True]


def test_the_identity_worked_by_hand():
    values, listed = np.array([0.5, 0.2, 0.0, 0.1, 0.4]), np.array([10, 4, 0, 7, 10])
    everybody = np.ones(5, dtype=bool)
    full, reduced = (values[counted(everybody, listed, coverage)].mean() for coverage in ("full", "reduced"))
    assert (full, reduced, cover(listed).share(everybody)) == pytest.approx((0.24, 0.30, 0.8))
    assert identity_gap(full, reduced, 0.8) == pytest.approx(0, abs=1e-15)
    # As printed in the paper, the other way round, it would not hold: .3 is not .8 times .24.
    assert identity_gap(reduced, full, 0.8) == pytest.approx(0.108)


@given(st.lists(st.tuples(st.integers(0, 10), st.booleans(), st.integers(0, 3)), min_size=1, max_size=20))
def test_a_full_mean_is_coverage_times_the_reduced_mean(users):
    listed = np.array([length for _, _, length in users])
    admitted = np.array([admit for _, admit, _ in users])
    values = np.where(listed > 0, [value / 10 for value, _, _ in users], 0.0)
    chosen = [values[counted(admitted, listed, coverage)] for coverage in ("full", "reduced")]
    full, reduced = (float(found.mean()) if len(found) else math.nan for found in chosen)
    gap = identity_gap(full, reduced, cover(listed).share(admitted))
    assert gap == pytest.approx(0, abs=1e-12) if admitted.any() else math.isnan(gap)
