"""Sampled targets are nested and drawn by weight, and do not depend on order, blocks or numbering."""

from itertools import pairwise

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recsens.ranking.targets._base import Strata
from recsens.ranking.targets._kernels import draw_for_ratings, draw_for_users
from recsens.seeds import Stream

STREAM = Stream.of(3, "targets")


def strata(n_items: int, *, weights=None, of=None, keys=None) -> Strata:
    return Strata.cut(
        np.zeros(n_items, dtype=np.int64) if of is None else np.asarray(of),
        np.ones(n_items, dtype=np.int64) if weights is None else np.asarray(weights),
        np.arange(n_items) if keys is None else np.asarray(keys),
    )


def drawn(
    pool, n, *, given=None, items=None, indptr=None, fresh=True, user_keys=None, item_keys=None, stream=STREAM
) -> list[list[int]]:
    """Return each rating's items in the order drawn; by default, each user has one rating of item 0."""
    pool = np.asarray(pool, dtype=bool)
    found = draw_for_ratings(
        pool,
        strata(pool.shape[1]) if given is None else given,
        n,
        indptr=np.arange(len(pool) + 1) if indptr is None else np.asarray(indptr),
        items=np.zeros(len(pool), dtype=np.int64) if items is None else np.asarray(items),
        fresh=fresh,
        user_keys=np.arange(len(pool)) if user_keys is None else np.asarray(user_keys),
        item_keys=np.arange(pool.shape[1]) if item_keys is None else np.asarray(item_keys),
        stream=stream,
    )
    return [[item for item in row if item >= 0] for row in found.tolist()]


pools = st.lists(st.lists(st.booleans(), min_size=9, max_size=9), min_size=1, max_size=4)
weights = st.lists(st.integers(0, 50), min_size=9, max_size=9)


@given(pools, weights, st.integers(1, 8))
def test_a_sample_holds_distinct_items_of_the_pool_as_many_as_there_are(pool, weight, n):
    for row, found in zip(pool, drawn(pool, n, given=strata(9, weights=weight)), strict=True):
        allowed = {item for item in range(9) if row[item] and weight[item] > 0}
        assert set(found) <= allowed
        assert len(found) == len(set(found)) == min(n, len(allowed))


@given(pools, weights, st.integers(1, 8))
def test_a_sample_begins_with_every_smaller_one(pool, weight, n):
    given_strata = strata(9, weights=weight)
    larger = drawn(pool, n + 1, given=given_strata)
    assert [found[:n] for found in larger] == drawn(pool, n, given=given_strata)


@settings(max_examples=10)
@given(pools, weights)
def test_nesting_survives_the_end_of_patience(pool, weight):
    # Nearly all of the weight is on one item: rejection alone would hardly ever find the others.
    weight = [10**8, *weight[1:]]
    samples = [drawn(pool, n, given=strata(9, weights=weight)) for n in range(1, 10)]
    for smaller, larger in pairwise(samples):
        for a, b in zip(smaller, larger, strict=True):
            assert b[: len(a)] == a


@given(pools)
def test_users_are_drawn_for_alike_in_any_block(pool):
    together = drawn(pool, 3)
    apart = [drawn([row], 3, user_keys=[user])[0] for user, row in enumerate(pool)]
    assert together == apart


def test_the_numbering_of_items_does_not_matter():
    rng = np.random.default_rng(0)
    keys = rng.permutation(100)[:40]
    weight = rng.integers(1, 30, 40)
    pool = rng.random((5, 40)) < 0.7
    order = rng.permutation(40)
    whole = drawn(pool, 12, given=strata(40, weights=weight, keys=keys), item_keys=keys)
    other = drawn(
        pool[:, order],
        12,
        given=strata(40, weights=weight[order], keys=keys[order]),
        item_keys=keys[order],
        items=[np.flatnonzero(order == 0)[0]] * 5,
    )
    assert [keys[row].tolist() for row in whole] == [keys[order][row].tolist() for row in other]


def test_a_smaller_pool_keeps_what_remains_of_the_draws():
    """Common random numbers: if a few items are left out, the others are drawn in the same order."""
    pool = np.ones((1, 50), dtype=bool)
    before = drawn(pool, 20)[0]
    pool[0, before[3]] = False
    assert drawn(pool, 19)[0] == [item for place, item in enumerate(before) if place != 3]


def test_ratings_of_a_user_share_a_sample_unless_each_is_to_have_its_own():
    pool = np.ones((1, 60), dtype=bool)
    shared = drawn(pool, 10, items=[3, 4, 5], indptr=[0, 3], fresh=False)
    assert shared[0] == shared[1] == shared[2]
    fresh = drawn(pool, 10, items=[3, 4, 5], indptr=[0, 3], fresh=True)
    assert fresh[0] != fresh[1] != fresh[2]
    assert len(set(fresh[0]) & set(fresh[1])) < 8


def test_all_relevant_and_one_relevant_sample_the_same_items_of_a_user():
    pool = np.ones((4, 60), dtype=bool)
    keys = {"user_keys": np.arange(4), "item_keys": np.arange(60)}
    for_users = draw_for_users(pool, strata(60), 10, stream=STREAM, **keys)
    assert drawn(pool, 10, fresh=False, items=[5, 6, 7, 8]) == for_users.tolist()


def test_a_rating_draws_within_its_own_group():
    of = np.arange(30) % 3
    found = drawn(np.ones((3, 30), dtype=bool), 8, given=strata(30, of=of), items=[0, 1, 2])
    for group, items in enumerate(found):
        assert set(of[items]) == {group}
        assert len(items) == 8


def first_and_second(weight, n_draws: int, patience: int | None = None) -> np.ndarray:
    """Shares of ordered pairs among the first two items drawn."""
    n = len(weight)
    found = np.array(drawn(np.ones((n_draws, n), dtype=bool), 2, given=strata(n, weights=weight)))
    return np.bincount(found[:, 0] * n + found[:, 1], minlength=n * n).reshape(n, n) / n_draws


@pytest.mark.parametrize("weight", [[1, 1, 1, 1], [1, 2, 3, 4]], ids=["uniform", "popularity"])
def test_draws_follow_the_weights(weight):
    share = np.array(weight) / sum(weight)
    expected = np.outer(share, share) / (1 - share)[:, np.newaxis]
    np.fill_diagonal(expected, 0)
    np.testing.assert_allclose(first_and_second(weight, 60_000), expected, atol=0.008)


def test_what_is_left_when_patience_ends_follows_the_weights_too():
    # One item has nearly all the weight, so the second one comes from the race among the others.
    share = np.array([1, 2, 3, 4]) / 10
    found = first_and_second([10**9, 1, 2, 3, 4], 40_000)[0, 1:]
    np.testing.assert_allclose(found, share, atol=0.012)


def test_streams_and_users_differ():
    pool = np.ones((2, 80), dtype=bool)
    one, two = drawn(pool, 10)
    assert set(one) != set(two)
    assert drawn(pool, 10, stream=Stream.of(4, "targets")) != [one, two]


def test_threads_do_not_matter():
    pool = np.random.default_rng(0).random((40, 200)) < 0.6
    before = numba.get_num_threads()
    found = []
    for n_threads in {1, before}:
        numba.set_num_threads(n_threads)
        found.append(drawn(pool, 30, given=strata(200, weights=np.arange(200))))
    numba.set_num_threads(before)
    assert all(each == found[0] for each in found)
