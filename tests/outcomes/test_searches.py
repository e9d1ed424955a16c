"""Searches of k trials from one of n: against every subset, and against simulated searches."""

from itertools import combinations, product
from math import comb

import numpy as np
import pytest

from recsens.outcomes.searches import RandomSearch, expected, expected_error, shares, verdict_share_errors


def brute_weights(validation, draws, k):
    """Try every subset of k trials beside the candidate as written; trials that tie for the best share the subset evenly."""
    weights = np.zeros(len(validation))
    for subset in combinations(range(len(draws)), k):
        best = max((validation[draws[trial]] for trial in subset), default=-np.inf)
        if best <= validation[0]:
            weights[0] += 1
            continue
        tied = [draws[trial] for trial in subset if validation[draws[trial]] == best]
        for candidate in tied:
            weights[candidate] += 1 / len(tied)
    return weights / comb(len(draws), k)


@pytest.mark.parametrize("k", range(13))
@pytest.mark.parametrize("seed", range(4))
def test_weights_equal_every_subset_of_twelve_trials(k, seed):
    rng = np.random.default_rng(seed)
    # Values with one decimal tie; eight candidates are drawn by twelve trials, some of them twice.
    validation, draws = np.round(rng.normal(size=9), 1), rng.integers(0, 9, 12)
    found = RandomSearch(validation[np.newaxis], draws).weights(k)[0]
    wanted = brute_weights(validation, draws, k)
    assert found.sum() == pytest.approx(1, abs=1e-12)
    for value in np.unique(validation):
        # Candidates of equal value are chosen by which of them is tried first; together they have the same probability.
        same = validation == value
        assert found[same].sum() == pytest.approx(wanted[same].sum(), abs=1e-12)
    # Over all orders of drawing, equal trials share evenly.
    alone = [c for c in range(9) if (validation == validation[c]).sum() == 1]
    np.testing.assert_allclose(found[alone], wanted[alone], atol=1e-12)


def test_weights_of_three_trials_by_hand():
    # As written .2; trials .1, .3 and .4. Of the three pairs, {.1,.3} chooses .3, and the two with .4 choose .4.
    search = RandomSearch(np.array([[0.2, 0.1, 0.3, 0.4]]), np.array([1, 2, 3]))
    np.testing.assert_allclose(search.weights(0), [[1, 0, 0, 0]])
    np.testing.assert_allclose(search.weights(1), [[1 / 3, 0, 1 / 3, 1 / 3]])
    np.testing.assert_allclose(search.weights(2), [[0, 0, 1 / 3, 2 / 3]])
    np.testing.assert_allclose(search.weights(9), [[0, 0, 0, 1]])
    assert expected(search, np.array([[1.0, 2.0, 3.0, 6.0]]), 1) == pytest.approx(10 / 3)


def test_candidate_without_a_value_is_chosen_only_if_none_has_one():
    search = RandomSearch(np.array([[np.nan, 0.1, np.nan]]), np.array([1, 2]))
    np.testing.assert_allclose(search.weights(1), [[0.5, 0.5, 0]])
    assert expected(search, np.array([[1.0, 3.0, np.nan]]), 1) == pytest.approx(2)


def test_system_without_a_search_stays_as_written():
    search = RandomSearch.fixed(2)
    np.testing.assert_array_equal(search.weights(20), [[1], [1]])
    assert expected(search, np.array([[0.2], [0.4]]), 20) == pytest.approx(0.3)
    assert expected_error(search, np.array([[0.2], [0.4]]), 20) == 0


def test_folds_have_their_own_choices():
    # On the first fold trial 1 is best, on the second trial 2; values on test data are 1, 2, 3 and 1, 2, 5.
    search = RandomSearch(np.array([[0.0, 2.0, 1.0], [0.0, 1.0, 2.0]]), np.array([1, 2]))
    assert expected(search, np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 5.0]]), 2) == pytest.approx((2 + 5) / 2)
    drawn = search.simulated(2, 5, np.random.default_rng(0))
    np.testing.assert_array_equal(drawn, [[1, 2]] * 5)


@pytest.mark.parametrize(("k_a", "k_b"), [(0, 5), (3, 3), (2, 6)])
def test_shares_equal_every_pair_of_subsets(k_a, k_b):
    rng = np.random.default_rng(5)
    va, vb = rng.normal(size=8), rng.normal(size=8)
    a, b = RandomSearch(va[np.newaxis], np.arange(1, 8)), RandomSearch(vb[np.newaxis], np.arange(1, 8))
    outcomes = rng.integers(-1, 2, (8, 8))

    def choices(values, k):
        return [max((0, *subset), key=lambda c: values[c]) for subset in combinations(range(1, 8), k)]

    met = [outcomes[i, j] for i, j in product(choices(va, k_a), choices(vb, k_b))]
    wanted = [np.mean([each == side for each in met]) for side in (1, -1, 0)]
    np.testing.assert_allclose(shares(a, b, outcomes, k_a, k_b), wanted, atol=1e-12)


def test_simulated_searches_agree_with_weights():
    rng = np.random.default_rng(11)
    n_searches = 10_000
    for size in (3, 20, 40):
        search = RandomSearch(rng.normal(size=(1, size + 1)), rng.integers(0, size + 1, size))
        weights = search.weights(3)[0]
        drawn = search.simulated(3, n_searches, rng)[:, 0]
        counts = np.bincount(drawn, minlength=size + 1) / n_searches
        assert (np.abs(counts - weights) <= 3.5 * np.sqrt(weights * (1 - weights) / n_searches) + 1e-12).all()


def test_estimates_are_unbiased_for_fresh_searches_and_their_errors_are_honest():
    rng = np.random.default_rng(3)
    n, k, n_searches = 40, 8, 2000
    written_value, written_test = 0.5, 0.4

    def run(size):
        value = np.concatenate([[written_value], rng.normal(size=size)])
        test = np.concatenate([[written_test], 0.5 * value[1:] + 0.5 * rng.normal(size=size)])
        return RandomSearch(value[np.newaxis], np.arange(1, size + 1)), test[np.newaxis]

    found = [(expected(*of, k), expected_error(*of, k)) for of in (run(n) for _ in range(400))]
    fresh = [expected(*run(k), k) for _ in range(n_searches)]
    estimates, errors = map(np.array, zip(*found, strict=True))
    spread = np.sqrt(estimates.var() / len(estimates) + np.var(fresh) / n_searches)
    assert abs(estimates.mean() - np.mean(fresh)) < 3 * spread
    assert np.sqrt(np.mean(errors**2)) == pytest.approx(estimates.std(), rel=0.15)


def test_errors_of_shares_are_honest():
    rng = np.random.default_rng(4)
    n, k = 30, 5
    found = []
    for _ in range(250):
        va, vb = rng.normal(size=(2, n + 1))
        ta, tb = va + rng.normal(size=n + 1), vb + rng.normal(size=n + 1)
        outcomes = np.sign(np.round(ta[:, np.newaxis] - tb)).astype(np.int64)
        searches = RandomSearch(va[np.newaxis], np.arange(1, n + 1)), RandomSearch(vb[np.newaxis], np.arange(1, n + 1))
        found.append((shares(*searches, outcomes, k, k), verdict_share_errors(*searches, outcomes, k, k)))
    estimates, errors = (np.stack(each) for each in zip(*found, strict=True))
    assert np.sqrt((errors**2).mean(axis=0))[:2] == pytest.approx(estimates.std(axis=0)[:2], rel=0.25)


def test_shares_agree_with_ten_thousand_simulated_searches_for_three_systems():
    rng = np.random.default_rng(21)
    n, n_searches = 40, 10_000
    values = rng.normal(size=(3, n + 1))
    outcomes = {(a, b): rng.integers(-1, 2, (n + 1, n + 1)) for a, b in combinations(range(3), 2)}

    def choose(system, k):
        # By hand: draw k trials without replacement, and keep the best of them and of the system as written.
        tried = [0, *(1 + rng.permutation(n)[:k])]
        return max(tried, key=lambda candidate: values[system][candidate])

    searches = [RandomSearch(own[np.newaxis], np.arange(1, n + 1)) for own in values]
    for (a, b), k_a, k_b in zip(outcomes, (1, 5, 20), (20, 5, 0), strict=True):
        met = [outcomes[a, b][choose(a, k_a), choose(b, k_b)] for _ in range(n_searches)]
        simulated = np.array([np.mean([each == side for each in met]) for side in (1, -1, 0)])
        exact = shares(searches[a], searches[b], outcomes[a, b], k_a, k_b)
        assert (np.abs(simulated - exact) <= 3 * np.sqrt(exact * (1 - exact) / n_searches) + 1e-12).all()
