"""Properties of every significance test, including new ones, and examples worked by hand."""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from recsens import plugins
from recsens.seeds import Stream

A = np.array([0.5, 0.2, 0.0, 0.1, 0.4, 0.3])
B = np.array([0.4, 0.3, 0.1, 0.1, 0.1, 0.3])
STREAM = Stream.of(0, "tests")
FAST = {
    "randomisation": "randomisation(samples=200)",
    "bootstrap": "bootstrap(samples=200)",
    "subsamples": "subsamples(n=5)",
}
"""Tests that draw at random, with few draws: the properties do not depend on their number."""

EVERY = [
    *(FAST.get(name, name) for name in plugins.names("test")),
    "t(log=true)",
    "bootstrap(method=shifted,samples=200)",
    "subsamples(of=sign,n=5)",
    "subsamples(of=randomisation(samples=150),n=5)",
]
GRID = st.integers(0, 10).map(lambda k: k / 10)
few_examples = settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow])


def test_what_there_is():
    assert plugins.names("test") == ["bootstrap", "randomisation", "sign", "subsamples", "t", "wilcoxon"]


# Vectors


@pytest.mark.parametrize(
    ("spec", "p"),
    [
        ("t", 0.610881),  # t = .542326
        ("t(log=true)", 0.691853),  # t = -.420103
        ("sign", 1.0),  # two of four
        ("wilcoxon", 1.0),  # mid-ranks 2 2 2 4: 6 against 4
        ("randomisation", 0.875),  # 14 of 16 sign patterns
        ("subsamples", 0.610881),
        ("subsamples(of=sign)", 1.0),
    ],
)
def test_the_vector_worked_by_hand(spec, p):
    found = plugins.build("test", spec).compare(A, B, STREAM)
    assert found.p_value == pytest.approx(p, abs=5e-7)
    assert found.n_users == 6


@pytest.mark.parametrize("n", [2, 5, 13, 14, 50, 51, 500])
@pytest.mark.parametrize("decimals", [1, 8])
def test_sign_and_signed_ranks_are_those_of_scipy(n, decimals):
    rng = np.random.default_rng(n)
    a, b = np.round(rng.random((2, n)), decimals)
    delta = np.round(a - b, 12)
    delta = delta[delta != 0]
    # Without this argument, SciPy before 1.13 ignores ties among up to 50 differences.
    method = "approx" if len(delta) > 13 and len(np.unique(np.abs(delta))) < len(delta) else "auto"
    expected = stats.wilcoxon(delta, method=method).pvalue, stats.binomtest(int((delta > 0).sum()), len(delta)).pvalue
    found = [plugins.build("test", name).compare(a, b, STREAM).p_value for name in ("wilcoxon", "sign")]
    assert found == pytest.approx(expected, abs=1e-12)


def test_users_served_alike_are_no_sign():
    # Seven better, one worse: 2 (1 + 8) / 2^8.
    a = np.array([0.9] * 7 + [0.1] + [0.5] * 20)
    b = np.array([0.2] * 7 + [0.3] + [0.5] * 20)
    assert plugins.build("test", "sign").compare(a, b, STREAM).p_value == pytest.approx(18 / 256, abs=1e-12)


# Contract


@pytest.mark.parametrize("spec", EVERY)
@few_examples
@given(rows=arrays(float, st.tuples(st.just(2), st.integers(6, 15)), elements=GRID))
def test_the_other_way_round_only_the_sign_changes(spec, rows):
    test = plugins.build("test", spec)
    forth, back = test.compare(*rows, STREAM), test.compare(*rows[::-1], STREAM)
    assert (back.p_value, back.n_users) == (forth.p_value, forth.n_users)
    assert back.share_significant == pytest.approx(forth.share_significant, nan_ok=True)
    assert (back.difference, back.low, back.high, back.effect) == pytest.approx(
        (-forth.difference, -forth.high, -forth.low, -forth.effect), nan_ok=True, abs=1e-12
    )


@pytest.mark.parametrize("spec", EVERY)
@few_examples
@given(rows=arrays(float, st.tuples(st.just(2), st.integers(6, 15)), elements=GRID))
def test_p_is_a_probability_and_the_difference_lies_in_its_interval(spec, rows):
    found = plugins.build("test", spec).compare(*rows, STREAM)
    assert 0 <= found.p_value <= 1
    assert found.low <= found.difference <= found.high


@pytest.mark.parametrize("spec", EVERY)
def test_equal_systems_differ_in_nothing(spec):
    found = plugins.build("test", spec).compare(A, A, STREAM)
    assert (found.difference, found.low, found.high, found.effect, found.p_value) == (0, 0, 0, 0, 1)


@pytest.mark.parametrize("spec", EVERY)
@pytest.mark.parametrize("n", range(2, 6))
def test_p_of_few_users_is_never_smaller_than_all_signs_alike(spec, n):
    # Two of the 2^n patterns of signs are all alike; a test that needs a spread has no p at all.
    for delta in (np.full(n, 0.1), np.linspace(0.1, 0.1001, n)):
        found = plugins.build("test", spec).compare(0.5 + delta, np.full(n, 0.5), STREAM)
        assert math.isnan(found.p_value) or found.p_value >= 2 / 2**n
        assert math.isnan(found.low)
        assert math.isnan(found.high)


@pytest.mark.parametrize("spec", EVERY)
@pytest.mark.parametrize("n", [6, 8, 60])
def test_p_is_above_zero_even_if_all_differences_are_equal(spec, n):
    p_value = plugins.build("test", spec).compare(np.full(n, 0.5), np.full(n, 0.4), STREAM).p_value
    assert min(2.0 ** (1 - n), 1 / 201) <= p_value < 0.05


@pytest.mark.parametrize("spec", EVERY)
@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_users_say_nothing(spec, n):
    found = plugins.build("test", spec).compare(A[:n], B[:n], STREAM)
    assert found.n_users == n
    assert all(math.isnan(value) for value in (found.p_value, found.low, found.high, found.effect, found.share_significant))


@pytest.mark.parametrize("spec", EVERY)
def test_the_effect_is_the_mean_in_standard_deviations(spec):
    found = plugins.build("test", spec).compare(A, B, STREAM)
    delta = np.log(A + 0.01) - np.log(B + 0.01) if "log" in spec else A - B
    assert found.effect == pytest.approx(delta.mean() / delta.std(ddof=1), abs=1e-9)


@pytest.mark.parametrize("spec", EVERY)
def test_a_large_difference_is_found_and_none_where_there_is_none(spec):
    rng = np.random.default_rng(3)
    a = rng.integers(0, 11, 60) / 10
    better = plugins.build("test", spec).compare(np.minimum(a + rng.integers(1, 4, 60) / 10, 1.3), a, STREAM)
    assert better.p_value < 0.01
    assert better.low > 0
    none = plugins.build("test", spec).compare(a, np.roll(a, 1), STREAM)  # the same values: their means are equal
    assert none.p_value > 0.3
    assert none.low < 0 < none.high


@pytest.mark.parametrize("spec", EVERY)
def test_pairs_are_compared_over_the_users_of_both(spec):
    rng = np.random.default_rng(5)
    values = rng.integers(0, 11, (4, 40)) / 10
    counts = rng.random((4, 40)) < 0.8
    counts[1] = counts[0]
    pairs = [(0, 1), (2, 0), (1, 2), (3, 2), (3, 0), (1, 3)]
    test = plugins.build("test", spec)
    found = test.compare_pairs(values, counts, pairs, STREAM)
    assert len(found) == len(pairs)
    for (a, b), one in zip(pairs, found, strict=True):
        both = counts[a] & counts[b]
        alone = test.compare(values[a, both], values[b, both], STREAM)
        assert (one.n_users, one.difference, one.effect) == pytest.approx((alone.n_users, alone.difference, alone.effect))
        # If signs are drawn, a user's place determines them; the p-values agree up to chance.
        assert one.p_value == pytest.approx(alone.p_value, abs=0.15)


@pytest.mark.parametrize("spec", EVERY)
def test_values_that_do_not_count_are_not_looked_at(spec):
    rng = np.random.default_rng(6)
    values = rng.integers(0, 11, (3, 30)) / 10
    counts = np.ones((3, 30), dtype=bool)
    counts[2, :7] = False
    pairs = [(0, 1), (0, 2), (2, 1)]
    test = plugins.build("test", spec)
    expected = test.compare_pairs(values, counts, pairs, STREAM)
    values[2, :7] = [np.nan, 1e9, -0.001, np.nan, 0.5, 0, 3]
    found = test.compare_pairs(values, counts, pairs, STREAM)
    assert [one.p_value for one in found] == [one.p_value for one in expected]


@pytest.mark.parametrize("spec", EVERY)
def test_the_same_stream_says_the_same(spec):
    test = plugins.build("test", spec)
    rng = np.random.default_rng(7)
    a, b = rng.random((2, 50))
    assert repr(test.compare(a, b, STREAM)) == repr(test.compare(a, b, STREAM))


@pytest.mark.parametrize("spec", ["t", "sign", "wilcoxon", "randomisation(samples=100)", "bootstrap(samples=100)"])
def test_only_subsamples_have_a_share_that_is_significant(spec):
    assert math.isnan(plugins.build("test", spec).compare(A, B, STREAM).share_significant)
