"""The randomisation test over users, compared with all sign patterns in exact arithmetic."""

import math
from fractions import Fraction
from itertools import product

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from recsens.comparison.significance import _signs
from recsens.comparison.significance._signs import Contrasts, drawn, every, fixed_point
from recsens.comparison.significance.randomisation import Randomisation
from recsens.seeds import Stream

A = np.array([0.5, 0.2, 0.0, 0.1, 0.4])
B = np.array([0.4, 0.3, 0.1, 0.1, 0.1])
STREAM = Stream.of(0, "tests")


def exact_p(a: list[Fraction], b: list[Fraction]) -> Fraction:
    """Return the share of the 2^n sign patterns under which the sum is at least as far from zero, in rational numbers."""
    delta = [x - y for x, y in zip(a, b, strict=True)]
    observed = abs(sum(delta))
    far = sum(
        abs(sum(s * d for s, d in zip(signs, delta, strict=True))) >= observed for signs in product((1, -1), repeat=len(delta))
    )
    return Fraction(far, 2 ** len(delta))


def floats(values: list[Fraction]) -> np.ndarray:
    return np.array([float(value) for value in values])


@st.composite
def paired_on_a_grid(draw, most_users=8):
    """Two systems' values on the grid of P@10 over f folds, or with another denominator, which gives many ties."""
    step = Fraction(1, draw(st.sampled_from([10, 20, 30, 50, 70, 3, 7, 1])))
    n = draw(st.integers(2, most_users))
    values = st.lists(st.integers(0, 6).map(lambda k: k * step), min_size=n, max_size=n)
    return draw(values), draw(values)


@given(paired_on_a_grid())
def test_ties_on_a_grid_count_as_in_rational_arithmetic(pair):
    a, b = pair
    assert Randomisation().compare(floats(a), floats(b), STREAM).p_value == float(exact_p(a, b))


@given(st.lists(st.lists(st.integers(0, 10), min_size=5, max_size=5), min_size=4, max_size=14))
def test_ties_of_means_over_folds_count_too(ratings):
    # A user's value is the mean over five folds of P@10, added up in floating point.
    half = len(ratings) // 2
    tenths = [ratings[:half], ratings[half : 2 * half]]
    exact = [[Fraction(sum(row), 50) for row in rows] for rows in tenths]
    binary = [np.array([np.mean([k / 10 for k in row]) for row in rows]) for rows in tenths]
    assert Randomisation().compare(*binary, STREAM).p_value == float(exact_p(*exact))


@given(paired_on_a_grid(most_users=7), st.integers(1, 63))
def test_random_patterns_count_ties_as_in_rational_arithmetic(pair, samples):
    # The same random signs, applied to rational numbers one pattern after another.
    a, b = pair
    delta = [x - y for x, y in zip(a, b, strict=True)]
    units = fixed_point(np.stack([floats(a), floats(b)]))
    contrasts = Contrasts(units.T, np.array([0]), np.array([1]), np.array([len(a)]))
    words = np.concatenate(list(drawn(STREAM, len(a), samples)))[:, 0].tolist()
    far = sum(abs(sum(-d if (word >> user) & 1 else d for user, d in enumerate(delta))) >= abs(sum(delta)) for word in words)
    assert contrasts.count(drawn(STREAM, len(a), samples)).tolist() == [far]


def test_small_samples_are_enumerated():
    # 28 of 32: all but those whose sum is zero, .1 + .1 + .1 - .3, twice because of the user who does not matter.
    found = Randomisation(samples=32).compare(A, B, STREAM)
    assert found.p_value == 0.875
    assert Randomisation(samples=16).compare(A, B, STREAM).p_value == 0.875  # four users differ: 16 patterns
    assert Randomisation(samples=15).compare(A, B, STREAM).p_value * 16 == pytest.approx(round(0.875 * 16), abs=3)


def test_random_signs_approach_the_enumeration():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 11, (2, 20)) / 10
    exact = Randomisation(samples=2**20).compare(a, b, STREAM).p_value
    assert 0.01 < exact < 0.99
    found = Randomisation(samples=8000).compare(a, b, STREAM).p_value
    assert found != exact
    assert found == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 8000))


def test_random_signs_approach_t_for_many_users():
    rng = np.random.default_rng(1)
    a = rng.integers(0, 11, (1000)) / 10
    b = np.clip(a + rng.integers(-3, 4, 1000) / 10, 0, 1)
    expected = stats.ttest_rel(a, b).pvalue
    assert Randomisation(samples=20000).compare(a, b, STREAM).p_value == pytest.approx(expected, abs=0.02)


def test_no_p_value_below_one_in_the_samples_plus_one():
    a = np.linspace(0.5, 1, 100)
    assert Randomisation(samples=999).compare(a, a - 0.4 - 0.1 * a, STREAM).p_value == 1 / 1000


def test_a_probability_of_signs_that_is_fair():
    words = np.concatenate(list(drawn(STREAM, 200, 5000)))
    bits = np.unpackbits(words.view(np.uint8), axis=1)[:, :192]
    assert bits.mean() == pytest.approx(0.5, abs=4 * 0.5 / math.sqrt(bits.size))
    assert np.abs(bits.mean(axis=0) - 0.5).max() < 5 * 0.5 / math.sqrt(5000)
    correlations = np.corrcoef(bits.T.astype(float)) - np.eye(192)
    assert np.abs(correlations).max() < 6 / math.sqrt(5000)


@pytest.fixture
def systems():
    rng = np.random.default_rng(8)
    values = rng.integers(0, 11, (6, 150)) / 10
    counts = rng.random((6, 150)) < [[1], [1], [1], [1], [0.9], [0.8]]
    return values, counts


PAIRS = [(a, b) for a in range(6) for b in range(a)]


def p_values(systems, pairs=PAIRS, samples=3000):
    return [found.p_value for found in Randomisation(samples=samples).compare_pairs(*systems, pairs, STREAM)]


@pytest.mark.parametrize("block", [7, 1000, 100_000])
def test_no_block_size_changes_a_p_value(systems, monkeypatch, block):
    expected = p_values(systems)
    monkeypatch.setattr(_signs, "_BLOCK", block)
    assert p_values(systems) == expected


def test_no_number_of_threads_changes_a_p_value(systems):
    before = numba.get_num_threads()
    expected = p_values(systems)
    try:
        numba.set_num_threads(1)
        assert p_values(systems) == expected
    finally:
        numba.set_num_threads(before)


def test_which_pairs_are_asked_for_changes_no_p_value(systems):
    expected = dict(zip(PAIRS, p_values(systems), strict=True))
    for pairs in ([(1, 0)], [(5, 4), (2, 1)], [(3, 2), (3, 1), (2, 1), (5, 0)]):
        assert p_values(systems, pairs) == [expected[pair] for pair in pairs]


def test_pairs_over_other_users_are_counted_by_their_own(systems):
    # Against a plain product of all signs with one pair's differences.
    values, counts = systems
    words = np.concatenate(list(drawn(STREAM, 150, 3000)))
    signs = 1 - 2 * ((words[:, np.arange(150) // 64] >> (np.arange(150) % 64).astype(np.uint64)) & np.uint64(1)).astype(np.int64)
    for (a, b), p in zip(PAIRS, p_values(systems), strict=True):
        delta = np.where(counts[a] & counts[b], np.rint(10 * (values[a] - values[b])), 0).astype(np.int64)
        assert p == (1 + (np.abs(signs @ delta) >= abs(delta.sum())).sum()) / 3001


def test_more_samples_contain_the_fewer():
    rng = np.random.default_rng(4)
    a, b = rng.random((2, 80))
    few, many = (round((1 + size) * Randomisation(samples=size).compare(a, b, STREAM).p_value) - 1 for size in (500, 900))
    assert many - 400 <= few <= many


def test_many_columns_and_words():
    # More columns than the kernel adds at once, and a number of users that does not fill a word.
    rng = np.random.default_rng(9)
    columns = rng.integers(-1000, 1000, (130, 45))
    words = np.concatenate(list(drawn(STREAM, 130, 64)))
    flipped = ((words[:, np.arange(130) // 64] >> (np.arange(130) % 64).astype(np.uint64)) & np.uint64(1)).astype(np.int64)
    sums = columns.sum(axis=0) - 2 * flipped @ columns
    expected = (np.abs(sums) >= np.abs(columns.sum(axis=0)) - 4 * 130).sum(axis=0)
    found = Contrasts(columns, np.arange(45), np.full(45, -1), np.full(45, 130)).count([words])
    assert found.tolist() == expected.tolist()


def test_every_pattern_comes_once(monkeypatch):
    monkeypatch.setattr(_signs, "_BLOCK", 3)
    assert np.concatenate(list(every(4)))[:, 0].tolist() == list(range(16))


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_the_unit_of_values_changes_no_p_value(scale):
    assert Randomisation().compare(scale * A, scale * B, STREAM).p_value == 0.875


def test_an_even_chance_is_certain():
    # The mean is zero: every pattern is at least as far.
    a = np.tile([0.1, 0.2], 50)
    assert Randomisation(samples=100).compare(a, a[::-1], STREAM).p_value == 1
