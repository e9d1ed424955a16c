"""Ratings on a scale."""

import numpy as np
import pytest

from recsens.files.scale import Scale

SCALES = [Scale(), Scale(0.5, 4.0, 0.5), Scale(-10.0, 10.0, 0.01), Scale(0.0, 1.0, 0.0)]


def test_nan_and_infinities_are_on_no_scale():
    for scale in SCALES:
        assert not scale.holds(np.array([np.nan, np.inf, -np.inf])).any()


def test_single_precision_is_near_enough():
    assert Scale(0.1, 5.0, 0.1).holds(np.arange(0.1, 5.05, 0.1, dtype=np.float32).astype(np.float64)).all()


@pytest.mark.parametrize("scale", [Scale(0.0, 5.0, 0.1), Scale(1.0, 5.0, 1 / 3), Scale(0.5, 4.0, 0.5), Scale(-10.0, 10.0, 0.01)])
def test_a_rating_in_single_precision_reaches_the_threshold_it_stands_for(scale):
    threshold = scale.relevance
    read = np.array([threshold, threshold - scale.step], dtype=np.float32).astype(np.float64)
    assert (scale.snapped(read) >= threshold).tolist() == [True, False]


def test_values_of_a_scale_stay_what_they_are():
    tenths = np.arange(51) / 10
    assert Scale(0.0, 5.0, 0.1).snapped(tenths).tolist() == tenths.tolist()
    assert Scale(1.0, 5.0, 0.0).snapped(np.array([3.14159])).tolist() == [3.14159]


@pytest.mark.parametrize(
    ("scale", "least"),
    [(Scale(0, 5, 0.1), 3.8), (Scale(), 4.0), (Scale(0.5, 4, 0.5), 3.5), (Scale(1, 10, 1), 8.0), (Scale(-10, 10, 0), 5.0)],
)
def test_the_default_threshold_is_a_value_of_the_scale(scale, least):
    assert scale.relevance == least


def test_a_scale_in_words():
    assert list(map(Scale.describe, SCALES)) == [
        "a number from 1 to 5 in steps of 1",
        "a number from 0.5 to 4 in steps of 0.5",
        "a number from -10 to 10 in steps of 0.01",
        "a number from 0 to 1",
    ]
