"""Draws never equal an end of the interval, and rows depend only on keys."""

import numpy as np
import pytest

from recsens.recommenders._factors import normal_draws, uniform_draws
from recsens.seeds import Stream

KEYS = np.array([1, 4, 9])


@pytest.mark.parametrize("bits", [0, 1, 2**52, 2**53 - 2, 2**53 - 1])
def test_no_number_that_a_stream_gives_is_drawn_as_an_end(bits, monkeypatch):
    monkeypatch.setattr(Stream, "uniform", lambda *_: np.full((3, 2), bits / 2**53))
    drawn = uniform_draws(KEYS, 2, np.random.default_rng(1))
    assert (drawn > 0).all()
    assert (drawn < 1).all()
    assert np.isfinite(normal_draws(KEYS, 2, 0.1, np.random.default_rng(1))).all()


def test_a_filter_leaves_the_others_where_they_started():
    everyone = uniform_draws(np.arange(10), 3, np.random.default_rng(1))
    np.testing.assert_array_equal(uniform_draws(KEYS, 3, np.random.default_rng(1)), everyone[KEYS])
