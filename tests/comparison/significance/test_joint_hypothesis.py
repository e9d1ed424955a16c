"""Many analyses tested by one sign per user, compared with all sign vectors, and on data without and with an effect."""

from itertools import product

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from recsens.comparison.significance import max_t_family
from recsens.seeds import Stream

STREAM = Stream.of(0, "tests")
ALPHA = 0.05


def t_of(delta):
    """Return t column by column, from its definition, over the users who are counted."""
    found = []
    for column in delta.T:
        known = column[~np.isnan(column)]
        n, mean, spread = len(known), known.mean(), known.std(ddof=1)
        if not known.any():
            found.append(0.0)
        elif np.ptp(known) < 1e-12:
            found.append(np.sign(mean) * 1e9)
        else:
            found.append(mean / (spread / np.sqrt(n)))
    return np.array(found)


def brute_force(delta):
    """Return p of each analysis, of the median and of the wins, over all 2^n sign vectors."""
    sizes = (~np.isnan(delta)).sum(axis=0)
    critical = np.where(sizes < 6, np.inf, stats.t.ppf(1 - ALPHA / 2, sizes - 1))
    flipped = np.array([t_of(delta * np.array(signs)[:, np.newaxis]) for signs in product((1, -1), repeat=len(delta))])
    observed = t_of(delta)

    def as_far(values, bound):
        return (np.abs(values) >= abs(bound) - 1e-8 * max(1.0, abs(bound))).mean()

    def lead(t):
        wins, total = (t > critical).sum(axis=-1) - (t < -critical).sum(axis=-1), t.sum(axis=-1)
        leader = np.where(wins != 0, np.sign(wins), np.sign(total))
        return leader * wins, leader * total

    def as_far_ahead(least_wins, least):
        wins, total = lead(flipped)
        return ((wins > least_wins) | (wins == least_wins) & (total >= least - 1e-8 * max(1.0, abs(least)))).mean()

    p_values, left, least = np.empty(len(observed)), list(np.argsort(-np.abs(observed), kind="stable")), 0.0
    while left:
        first = left[0]
        least = max(least, as_far(np.abs(flipped[:, left]).max(axis=1), observed[first]))
        p_values[first] = least
        left = left[1:]
    return p_values, as_far(np.median(flipped, axis=1), np.median(observed)), as_far_ahead(*lead(observed))


@settings(max_examples=25)
@given(st.integers(2, 7), st.integers(1, 5), st.data())
def test_every_p_is_that_of_all_sign_vectors(n_users, n_analyses, data):
    # Tenths give many ties, within analyses and between them.
    delta = data.draw(arrays(np.float64, (n_users, n_analyses), elements=st.integers(-4, 4).map(lambda tenths: tenths / 10)))
    gaps = data.draw(arrays(np.bool_, delta.shape, elements=st.booleans()))
    gaps[:2] = False  # two users whom every analysis counts
    delta = np.where(gaps, np.nan, delta)
    found = max_t_family(delta, STREAM, alpha=ALPHA)
    p_values, p_median, p_wins = brute_force(delta)
    assert found.is_complete
    np.testing.assert_allclose(np.clip(found.t, -1e9, 1e9), t_of(delta), atol=1e-6)
    np.testing.assert_allclose(found.p_family, p_values, atol=1e-12)
    assert (found.p_median, found.p_wins) == pytest.approx((p_median, p_wins))


def test_twelve_users_are_enumerated_too():
    delta = np.random.default_rng(1).normal(0.4, 1, size=(12, 6))
    found = max_t_family(delta, STREAM, alpha=ALPHA)
    p_values, p_median, p_wins = brute_force(delta)
    assert (found.n_patterns, found.is_complete) == (2**12, True)
    np.testing.assert_allclose(found.p_family, p_values, atol=1e-12)
    assert (found.p_median, found.p_wins) == pytest.approx((p_median, p_wins))


def test_a_single_analysis_has_the_p_of_the_randomisation_test():
    delta = np.random.default_rng(2).normal(0.3, 1, size=(10, 1))
    sums = [abs((delta[:, 0] * signs).sum()) for signs in product((1, -1), repeat=10)]
    expected = np.mean(np.array(sums) >= abs(delta.sum()) - 1e-12)
    assert max_t_family(delta, STREAM, alpha=ALPHA).p_family[0] == pytest.approx(expected)


def test_one_analysis_with_a_large_t_has_a_small_p_of_wins():
    delta = np.random.default_rng(8).normal(4.65, 1, size=(1_000, 1))
    found = max_t_family(delta, STREAM, alpha=ALPHA, samples=999)
    assert found.t[0] == pytest.approx(147, abs=5)
    assert (found.first_wins, found.p_wins) == (1, 0.001)


@pytest.mark.parametrize("shift", [0.0, 0.1, 0.3])
def test_of_one_analysis_however_often_it_is_there_the_wins_say_what_its_t_says(shift):
    delta = np.random.default_rng(9).normal(shift, 1, size=(60, 1))
    found = max_t_family(np.repeat(delta, 4, axis=1), STREAM, alpha=ALPHA, samples=499)
    assert found.p_wins == found.p_median == found.p_family[0]


def test_more_wins_are_farther_than_any_sum_of_t_and_sums_are_in_favour_of_who_wins_more():
    # Twelve users need t = 2.2: the first system wins one analysis, while the sum of t favours the second.
    delta = stats.zscore(np.random.default_rng(10).normal(size=(12, 3)), ddof=1) + np.array([2.5, -2, -2]) / np.sqrt(12)
    found = max_t_family(delta, STREAM, alpha=ALPHA)
    assert (found.first_wins, found.second_wins, found.t.sum()) == (1, 0, pytest.approx(-1.5))
    assert found.p_wins == pytest.approx(brute_force(delta)[2])


def test_drawn_signs_come_close_to_all_of_them():
    delta = np.random.default_rng(3).normal(0.5, 1, size=(12, 4))
    drawn, every = (max_t_family(delta, STREAM, alpha=ALPHA, samples=samples) for samples in (4_000, 5_000))
    assert (drawn.is_complete, every.is_complete) == (False, True)
    np.testing.assert_allclose(drawn.p_family, every.p_family, atol=0.03)
    assert drawn.p_median == pytest.approx(every.p_median, abs=0.03)


def test_a_constant_factor_and_the_order_of_analyses_change_nothing():
    delta = np.random.default_rng(4).normal(0.3, 1, size=(40, 5))
    found = max_t_family(delta, STREAM, alpha=ALPHA, samples=500)
    turned = max_t_family(delta[:, ::-1] * 0.037, STREAM, alpha=ALPHA, samples=500)
    assert turned.p_family[::-1].tolist() == found.p_family.tolist()
    assert (turned.p_median, turned.p_wins) == (found.p_median, found.p_wins)


@pytest.mark.parametrize("delta", [np.zeros((5, 2)), np.zeros((0, 2)), np.full((4, 1), np.nan)])
def test_without_differences_nothing_is_found(delta):
    found = max_t_family(delta, STREAM, alpha=ALPHA)
    assert not (found.p_family < 1).any()
    assert (found.first_wins, found.second_wins) == (0, 0)


def test_an_analysis_of_one_user_is_not_tested():
    delta = np.array([[0.1, 0.1], [0.2, np.nan], [0.3, np.nan]])
    found = max_t_family(delta, STREAM, alpha=ALPHA)
    assert np.isnan([found.t[1], found.p_family[1]]).all()
    assert found.p_family[0] == max_t_family(delta[:, :1], STREAM, alpha=ALPHA).p_family[0]


def test_no_analyses_have_no_p():
    found = max_t_family(np.empty((4, 0)), STREAM, alpha=ALPHA)
    assert np.isnan([found.median_t, found.p_median, found.p_wins]).all()


def test_one_thread_and_two_give_the_same_numbers():
    delta = np.random.default_rng(5).normal(0.05, 1, size=(300, 40))
    threads = numba.get_num_threads()
    found = []
    for n in (1, min(2, threads)):
        numba.set_num_threads(n)
        found.append(max_t_family(delta, STREAM, alpha=ALPHA, samples=3_000))
    numba.set_num_threads(threads)
    assert found[0].p_family.tolist() == found[1].p_family.tolist()
    assert (found[0].p_median, found[0].p_wins) == (found[1].p_median, found[1].p_wins)


def correlated(generator, n_users, n_analyses):
    """Draw skewed differences that share a part for each user, as analyses of the same rankings do."""
    shared = generator.exponential(size=(n_users, 1))
    delta = shared + generator.exponential(size=(n_users, n_analyses))
    return delta * generator.choice([-1.0, 1.0], size=(n_users, 1))


def test_under_the_null_the_family_errs_as_seldom_as_said_and_joint_p_values_are_uniform():
    generator = np.random.default_rng(6)
    studies = [max_t_family(correlated(generator, 30, 12), STREAM.child(n), alpha=0.1, samples=199) for n in range(300)]
    errors = np.mean([study.p_family.min() <= 0.1 for study in studies])
    assert errors <= 0.1 + 2.58 * np.sqrt(0.1 * 0.9 / len(studies))
    assert errors >= 0.05  # the shared signs take the correlation into account, so the bound is nearly reached
    assert stats.kstest([study.p_median for study in studies], "uniform").pvalue > 0.01
    assert stats.kstest([study.p_wins for study in studies], "uniform").pvalue > 0.01  # the sum of t leaves no ties


def test_a_planted_effect_is_found_where_it_is():
    generator = np.random.default_rng(7)
    delta = correlated(generator, 300, 20)
    delta[:, :5] += 2
    found = max_t_family(delta, STREAM, alpha=ALPHA, samples=2_000)
    assert (found.p_family[:5] < ALPHA).all()
    assert (found.p_family[5:] > ALPHA).all()
    everywhere = max_t_family(correlated(generator, 300, 20) + 1, STREAM, alpha=ALPHA, samples=2_000)
    assert everywhere.p_median < ALPHA
    assert (everywhere.first_wins, everywhere.second_wins) == (20, 0)
