"""Means, weighted means, geometric means and medians, worked by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from approved import refusal
from comparison.aggregation.panels import panels, scores
from recsens import plugins
from recsens.comparison.aggregation.averages import Geometric, Mean, Median
from recsens.comparison.aggregation.weighted import Weighted
from recsens.errors import DesignError

FIVE = [[0.5, 0.2, 0, 0.1, 0.4]]


def test_the_vector_of_all_means():
    panel = scores(FIVE, test=[10, 5, 1, 2, 20])
    assert Mean().aggregate(panel) == pytest.approx(0.24)
    assert Median().aggregate(panel) == pytest.approx(0.2)
    assert Weighted().aggregate(panel) == pytest.approx(0.373684, abs=5e-7)
    assert Geometric().aggregate(panel) == pytest.approx(0.127023, abs=5e-7)


def test_each_system_is_averaged_over_the_users_that_count_for_it():
    panel = scores([[1, 0, 0.5, 9], [0, 9, 0.25, 0.5]], [[1, 1, 1, 0], [1, 0, 1, 1]], test=[1, 7, 3, 4])
    assert Mean().aggregate(panel) == pytest.approx([0.5, 0.25])
    assert Median().aggregate(panel) == pytest.approx([0.5, 0.25])
    assert Weighted().aggregate(panel) == pytest.approx([2.5 / 11, 2.75 / 8])


def test_the_median_of_an_even_number_lies_between_the_two_in_the_middle():
    assert Median().aggregate(scores([[0.9, 0.1, 0.2, 0.6]])) == pytest.approx(0.4)


# Weighted


def test_ratings_measured_weigh_where_they_are_what_is_averaged():
    assert Mean().aggregate(scores([[1, 0.5]], weights=[3, 1])) == pytest.approx(3.5 / 4)
    assert Weighted().aggregate(scores([[1, 0.5]], weights=[3, 1], test=[1, 5])) == pytest.approx(5.5 / 8)


@pytest.mark.parametrize(("by", "value"), [("test", 1 / 3), ("relevant", 1.0), ("train", 0.5), ("age", 0.2)])
def test_users_weigh_by_what_is_named(by, value):
    panel = scores([[1, 0]], test=[1, 2], relevant=[1, 0], train=[4, 4], age=[10.0, 40.0])
    assert Weighted(by=by).aggregate(panel) == pytest.approx(value)


def test_only_a_column_of_the_users_table_is_asked_for():
    assert Weighted(by="age").user_columns == ("age",)
    assert Weighted(by="train").user_columns == Weighted().user_columns == Mean().user_columns == ()


def test_a_user_without_weight_has_no_part():
    assert Weighted().aggregate(scores([[0.3, 9]], test=[2, 0])) == pytest.approx(0.3)
    assert math.isnan(Weighted().aggregate(scores([[0.3, 9]], test=[0, 0]))[0])


def test_a_column_that_cannot_weigh_is_refused(approved):
    cases = (
        {},
        {"age": np.array(["M", "F", "M"], dtype=object)},
        {"age": np.array([True, False, True])},
        {"age": [20.0, np.nan, 30.0]},
        {"age": [20, -1, -3]},
        {"age": [20, np.inf, 3]},
    )
    by_age = Weighted(by="age").aggregate
    approved({str(users): refusal(lambda u=users: by_age(scores([[1, 0, 1]], **u)), DesignError) for users in cases})


def test_who_is_not_averaged_needs_no_weight():
    panel = scores([[1, 0, 9]], [[1, 1, 0]], age=[10.0, 30.0, np.nan])
    assert Weighted(by="age").aggregate(panel) == pytest.approx(0.25)
    assert Weighted(by="age").weights(panel).tolist() == [10, 30, 0]


@given(panels(), st.floats(1e-3, 1e3))
def test_weights_have_no_scale(panel, factor):
    users = {name: column * factor for name, column in panel.users.items()}
    again = scores(panel.values.tolist(), panel.counts.tolist(), **users)
    np.testing.assert_allclose(Weighted().aggregate(again), Weighted().aggregate(panel), rtol=1e-12, atol=1e-12)


@given(panels())
def test_equal_weights_are_no_weights(panel):
    again = scores(panel.values.tolist(), panel.counts.tolist(), test=np.full(panel.values.shape[1], 7))
    np.testing.assert_allclose(Weighted().aggregate(again), Mean().aggregate(panel), atol=1e-12)


# Geometric


def test_the_geometric_mean_of_zeros_is_exactly_zero():
    assert Geometric().aggregate(scores([[0, 0, 0]])).tolist() == [0.0]


def test_a_vanishing_epsilon_leaves_the_textbook_geometric_mean():
    assert Geometric(epsilon=1e-12).aggregate(scores([[0.1, 0.4]])) == pytest.approx(0.2, abs=1e-9)


def test_what_is_tested_averages_to_the_logarithm_of_the_mean():
    panel = scores([[0.5, 0.2, 0, 0.1, 0.4], [1, 0.3, 9, 0.1, 0.1]], [[1] * 5, [1, 1, 0, 1, 1]])
    tested = Geometric().tested(panel)
    assert np.exp(np.nanmean(tested, axis=1)) - 0.01 == pytest.approx(Geometric().aggregate(panel))
    assert tested[0, 2] == pytest.approx(math.log(0.01))
    assert np.isnan(tested[1, 2])


@given(panels(), st.floats(1e-4, 10))
def test_the_geometric_mean_is_never_above_the_arithmetic_one(panel, epsilon):
    gap = Mean().aggregate(panel) - Geometric(epsilon=epsilon).aggregate(panel)
    assert (gap[panel.counts.any(axis=1)] >= -1e-12).all()


def test_a_value_without_logarithm_is_refused_unless_it_does_not_count():
    with pytest.raises(DesignError, match=r"value of -0\.5 has no logarithm"):
        Geometric().aggregate(scores([[0.2, -0.5]]))
    with pytest.raises(DesignError, match="mean or median"):
        Geometric().tested(scores([[0.2, -0.01]]))
    assert Geometric().aggregate(scores([[0.2, -0.5]], [[1, 0]])) == pytest.approx(0.2)


@given(arrays(float, st.integers(1, 8), elements=st.integers(0, 10).map(lambda tenths: tenths / 10)))
def test_repeating_every_user_changes_no_mean(values):
    for spec in ("mean", "median", "geometric"):
        aggregate = plugins.build("aggregate", spec)
        twice = aggregate.aggregate(scores([[*values, *values]]))
        np.testing.assert_allclose(twice, aggregate.aggregate(scores([values])), atol=1e-12)
