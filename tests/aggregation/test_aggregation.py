"""C3 and C4: means, coverage, what an uncovered user counts, and users over folds."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from recsens.aggregation._coverage import counted, coverage_at
from recsens.aggregation.mean import Mean
from recsens.outcomes import Outcome, compare, user_means
from recsens.significance.t import T

MEAN = Mean()
NAN = float("nan")


def outcome(values: list[list[float]], counts: list[list[int]]) -> Outcome:
    """One system's outcome: a row a fold, a column a user."""
    return Outcome(np.array(values, dtype=float), np.array(counts, dtype=bool), NAN, NAN, MEAN)


# Coverage


@pytest.mark.parametrize(("depth", "share"), [(10, 0.62), (5, 0.76), (1, 0.8)])
def test_the_coverage_vector(depth, share):
    assert coverage_at(np.array([10, 4, 0, 7, 10]), depth) == pytest.approx(share, abs=1e-15)


def test_coverage_of_nobody_is_not_a_number():
    assert math.isnan(coverage_at(np.array([], dtype=np.int64), 10))


@given(arrays(np.int64, st.integers(1, 20), elements=st.integers(0, 30)), st.integers(1, 40))
def test_coverage_at_one_is_user_coverage_and_deeper_coverage_never_grows(listed, depth):
    assert coverage_at(listed, 1) == pytest.approx((listed > 0).mean())
    assert 0 <= coverage_at(listed, depth + 1) <= coverage_at(listed, depth) <= 1


def test_full_averages_count_every_admitted_user_and_reduced_ones_the_covered():
    admitted, listed = np.array([True, True, False, True]), np.array([3, 0, 5, 1])
    assert counted(admitted, listed, "full").tolist() == [True, True, False, True]
    assert counted(admitted, listed, "reduced").tolist() == [True, False, False, True]


@given(st.lists(st.tuples(st.integers(0, 10), st.booleans(), st.integers(0, 3)), min_size=1, max_size=20))
def test_a_full_mean_is_coverage_times_the_reduced_mean(users):
    listed = np.array([length for _, _, length in users])
    admitted = np.array([admit for _, admit, _ in users])
    values = np.where(listed > 0, [value / 10 for value, _, _ in users], 0.0)
    if not (admitted & (listed > 0)).any():
        return
    full, reduced = (MEAN.combine(values[counted(admitted, listed, coverage)]) for coverage in ("full", "reduced"))
    assert full == pytest.approx(coverage_at(listed[admitted], 1) * reduced, abs=1e-12)


def test_the_identity_worked_by_hand():
    values, listed = np.array([0.5, 0.2, 0.0, 0.1, 0.4]), np.array([10, 4, 0, 7, 10])
    everybody = np.ones(5, dtype=bool)
    assert MEAN.combine(values[counted(everybody, listed, "full")]) == pytest.approx(0.24)
    assert MEAN.combine(values[counted(everybody, listed, "reduced")]) == pytest.approx(0.30)


# Means


def test_the_mean_of_nobody_is_not_a_number():
    assert math.isnan(MEAN.combine(np.array([])))


def test_every_user_counts_the_same():
    assert MEAN.combine(np.array([1.0, 0.0, 0.0, 1.0])) == 0.5


# Folds


def test_a_user_is_averaged_over_the_folds_that_count_them():
    values = np.array([[0.2, 0.4, 9.0, 9.0], [0.6, 9.0, 0.8, 9.0]])
    counts = np.array([[1, 1, 0, 0], [1, 0, 1, 0]], dtype=bool)
    assert user_means(values, counts) == pytest.approx([0.4, 0.4, 0.8])


@given(arrays(float, (3, 6), elements=st.integers(0, 10).map(float)), arrays(bool, (3, 6)), arrays(float, (3, 6)))
def test_what_does_not_count_never_shows(values, counts, other):
    np.testing.assert_array_equal(user_means(values, counts), user_means(np.where(counts, values, other), counts))


def test_value_spread_and_number_of_users_of_a_system():
    found = outcome([[0.2, 0.4, 9.0], [0.6, 0.9, 9.0]], [[1, 1, 0], [1, 0, 0]])
    assert found.value == pytest.approx((0.4 + 0.4) / 2)
    # Over folds: the means .3 and .6.
    assert found.spread == pytest.approx(0.3 / math.sqrt(2))
    assert found.n_users == 2


def test_one_fold_has_no_spread():
    assert math.isnan(outcome([[0.2, 0.4]], [[1, 1]]).spread)


def test_nobody_averaged_gives_no_value():
    found = outcome([[0.2], [0.4]], [[0], [0]])
    assert math.isnan(found.value)
    assert found.n_users == 0


# Comparisons


def test_systems_are_compared_over_the_users_that_both_cover():
    a = outcome([[1.0, 0.5, 0.3, 0.9]], [[1, 1, 1, 0]])
    b = outcome([[0.0, 0.4, 0.9, 0.2]], [[0, 1, 1, 1]])
    main, [fold] = compare(a, b, T())
    assert main == fold
    assert main.n_users == 2
    assert main.difference == pytest.approx((0.1 - 0.6) / 2)


def test_a_user_whom_the_systems_cover_in_different_folds_is_not_compared():
    a = outcome([[0.5, 0.1], [0.7, 0.2]], [[1, 1], [0, 1]])
    b = outcome([[0.5, 0.3], [0.7, 0.4]], [[0, 1], [1, 1]])
    main, folds = compare(a, b, T())
    assert main.n_users == 1
    assert main.difference == pytest.approx(-0.2)
    assert [fold.n_users for fold in folds] == [1, 1]


def test_users_are_averaged_over_folds_before_they_are_compared():
    rng = np.random.default_rng(0)
    values = rng.random((2, 3, 40))
    counts = np.ones((3, 40), dtype=int).tolist()
    main, folds = compare(outcome(values[0].tolist(), counts), outcome(values[1].tolist(), counts), T())
    assert main == T().compare(values[0].mean(axis=0), values[1].mean(axis=0))
    assert main.n_users == 40
    assert folds[1] == T().compare(values[0][1], values[1][1])
