"""Every metric, compared with its slow and obvious definition on drawn rankings."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics import test_errors, test_lists, test_pooled, test_propensities
from metrics.definitions import DEFINITIONS, METRICS, OF_DEPTH, OF_POSITIONS, OF_SUMS, OF_TWO_RANKINGS, by_definition, written
from metrics.rankings import FROM_ZERO, HALF_STARS, STARS, User, cutoff_lists, judged, measure, populations, users
from recsens import plugins
from recsens.files.scale import Scale

few = settings(max_examples=5)
"""Each example holds several users, hence several rankings."""


def assert_as_defined(
    metrics: list[tuple[str, dict[str, object]]], given: list[User], scale: Scale, view: str, cutoffs: list[int], relevance: float
) -> None:
    seen = judged(given, view=view, scale=scale, relevance=relevance)
    for name, params in metrics:
        found = measure(written(name, params), seen, *cutoffs)
        expected = [[by_definition(name, params, user, view, n, scale, relevance) for n in cutoffs] for user in given]
        # A gain of 2^r - 1 far above 1 loses digits in the sum, but not in the ratio.
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11, err_msg=f"{name} {params}")


def test_every_metric_has_a_definition():
    others = {
        spec.partition("(")[0] for module in (test_errors, test_lists, test_pooled, test_propensities) for spec in module.DEFINED
    }
    # They need times, a sample of rivals, or earlier lists: their definitions are in their own tests.
    others |= {"Future", "Sampled", "TemporalDiversity", "TemporalNovelty"}
    assert {plugins.load("metric", name).plugin_name() for name in (*DEFINITIONS, *others)} == set(plugins.names("metric"))
    assert set(DEFINITIONS) == set(OF_POSITIONS) - {"Sampled"}
    assert {name for name, _ in [*METRICS, *OF_SUMS, *OF_DEPTH, *OF_TWO_RANKINGS]} == set(DEFINITIONS)


@pytest.mark.parametrize("view", ["full", "condensed"])
@pytest.mark.parametrize("scale", [STARS, HALF_STARS, FROM_ZERO], ids=["stars", "half stars", "from zero"])
def test_every_metric_is_what_its_definition_says(view, scale):
    @few
    @given(populations(scale), cutoff_lists, st.sampled_from([scale.relevance, scale.lowest, scale.highest]))
    def check(given, cutoffs, relevance):
        assert_as_defined([*METRICS, *OF_SUMS, *OF_DEPTH, *OF_TWO_RANKINGS], given, scale, view, cutoffs, relevance)

    check()


@pytest.mark.parametrize("view", ["full", "condensed"])
def test_without_ratings_every_judged_item_is_relevant_and_gains_one(view):
    @few
    @given(st.lists(users(st.just(math.nan)), min_size=1, max_size=4), cutoff_lists)
    def check(given, cutoffs):
        assert_as_defined([*METRICS, *OF_SUMS], given, STARS, view, cutoffs, 4.0)

    check()
