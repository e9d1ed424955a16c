"""Properties of every aggregate; a new aggregate is tested automatically."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparison.aggregation.panels import THREE, panels, scores
from recsens import plugins
from recsens.comparison.aggregation import UserMeasures
from recsens.plugins import specs

NAMES = plugins.names("aggregate")
VARIANTS = (
    *NAMES,
    "geometric(epsilon=.5)",
    "weighted(by=relevant)",
    "weighted(by=age)",
    "urisk(alpha=0)",
    'urisk(alpha=2.5,baseline="matrix factorisation")',
    "trisk(baseline=kNN)",
    "georisk(alpha=5)",
    "standardised(pool=[kNN,MF])",
    'standardised(pool=["user-based, k = 50","MF (λ)","Zufällig"])',
)
MEANS = ("mean", "median", "geometric", "weighted")
"""Aggregates whose value lies among the users' values."""


@pytest.fixture(params=NAMES)
def aggregate(request):
    return plugins.build("aggregate", request.param)


def permuted(panel: UserMeasures, order: np.ndarray) -> UserMeasures:
    return UserMeasures(
        panel.systems,
        panel.values[:, order],
        panel.counts[:, order],
        panel.weights[order],
        {name: column[order] for name, column in panel.users.items()},
    )


@pytest.mark.parametrize("text", VARIANTS)
def test_a_spec_is_read_back_from_text_and_from_a_folder_name(text):
    built = plugins.build("aggregate", text)
    for spec in (built.spec, built.full_spec):
        assert plugins.build("aggregate", specs.parse(str(spec))) == built
        assert re.fullmatch(specs.SLUG, spec.slug)
        if not spec.has_digest:
            assert specs.parse_slug(spec.slug) == spec


def test_an_aggregate_names_its_source(aggregate):
    assert aggregate.source


def test_shapes(aggregate):
    panel = scores(THREE, train=[1] * 5, test=[1] * 5, relevant=[1] * 5)
    assert aggregate.aggregate(panel).shape == (3,)
    assert aggregate.tested(panel).shape == (3, 5)
    assert aggregate.weights(panel).shape == (5,)


@pytest.mark.parametrize("name", NAMES)
@given(panel=panels(), data=st.data())
def test_the_order_of_users_is_of_no_account(name, panel, data):
    aggregate = plugins.build("aggregate", name)
    order = np.array(data.draw(st.permutations(range(panel.values.shape[1]))))
    found, again = aggregate.aggregate(panel), aggregate.aggregate(permuted(panel, order))
    np.testing.assert_allclose(again, found, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(aggregate.tested(permuted(panel, order)), aggregate.tested(panel)[:, order], atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
@given(panel=panels(), other=st.integers(0, 100))
def test_what_does_not_count_never_shows(name, panel, other):
    aggregate = plugins.build("aggregate", name)
    values = np.where(panel.counts, panel.values, other / 10)
    again = UserMeasures(panel.systems, values, panel.counts, panel.weights, panel.users)
    np.testing.assert_array_equal(aggregate.aggregate(again), aggregate.aggregate(panel))


@pytest.mark.parametrize("name", NAMES)
@given(panel=panels(n_systems=1))
def test_a_system_alone_has_a_finite_value(name, panel):
    aggregate = plugins.build("aggregate", name)
    [value] = aggregate.aggregate(panel)
    some = (panel.counts[0] & (aggregate.weights(panel) > 0)).any()
    assert np.isfinite(value) if some else np.isnan(value)


def test_nobody_gives_no_value_and_nothing_to_test(aggregate):
    nobody = scores(THREE, [[0] * 5] * 3, train=[1] * 5, test=[1] * 5, relevant=[1] * 5)
    assert np.isnan(aggregate.aggregate(nobody)).all()
    nothing = scores([[], [], []], train=[], test=[], relevant=[])
    assert np.isnan(aggregate.aggregate(nothing)).all()
    assert aggregate.tested(nothing).shape == (3, 0)


@pytest.mark.parametrize("name", MEANS)
@given(value=st.integers(0, 1000), n_users=st.integers(1, 30))
def test_a_constant_is_its_own_mean(name, value, n_users):
    panel = scores([[value / 1000] * n_users], test=np.arange(1, n_users + 1))
    assert plugins.build("aggregate", name).aggregate(panel) == pytest.approx(value / 1000, abs=1e-12)


@pytest.mark.parametrize("name", MEANS)
@given(panel=panels())
def test_a_mean_lies_among_the_values(name, panel):
    for value, row, mask in zip(plugins.build("aggregate", name).aggregate(panel), panel.values, panel.counts, strict=True):
        assert np.isnan(value) or row[mask].min() - 1e-12 <= value <= row[mask].max() + 1e-12


@given(panels())
def test_scores_are_not_written_on(panel):
    arrays = (panel.values, panel.counts, panel.weights, *panel.users.values())
    for array in arrays:
        array.setflags(write=False)
    for name in NAMES:
        aggregate = plugins.build("aggregate", name)
        aggregate.aggregate(panel)
        aggregate.tested(panel)
