"""Ratings on a scale: one at a time and many at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsens.datasets._values import describe_scale, is_on_scale, on_scale
from recsens.interactions import Scale

SCALES = [Scale(), Scale(0.5, 4.0, 0.5), Scale(-10.0, 10.0, 0.01), Scale(0.0, 1.0, 0.0)]


@pytest.mark.parametrize("scale", SCALES)
@given(value=st.one_of(st.floats(-12, 12), st.integers(-24, 24).map(lambda n: n / 2)))
def test_one_at_a_time_and_many_at_once_agree(scale, value):
    assert on_scale(np.array([value]), scale).tolist() == [is_on_scale(value, scale)]


def test_nan_and_infinities_are_on_no_scale():
    for scale in SCALES:
        assert not on_scale(np.array([np.nan, np.inf, -np.inf]), scale).any()


def test_single_precision_is_near_enough():
    assert on_scale(np.arange(0.1, 5.05, 0.1, dtype=np.float32).astype(np.float64), Scale(0.1, 5.0, 0.1)).all()


def test_a_scale_in_words():
    assert list(map(describe_scale, SCALES)) == [
        "a number from 1 to 5 in steps of 1",
        "a number from 0.5 to 4 in steps of 0.5",
        "a number from -10 to 10 in steps of 0.01",
        "a number from 0 to 1",
    ]
