"""The random split: independent draws that stay the same when the ratio, the filter or the order of rows changes."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.splitting.samples import n_test, split
from recsens import plugins
from recsens.data.interactions import Interactions
from recsens.data.splitting.random import Random
from recsens.seeds import Stream
from recsens.testing import crowd, from_rows
from recsens.vocabulary import Role

CROWD = crowd()


def train(ratio: float, data: Interactions = CROWD, repeat: int = 0) -> np.ndarray:
    """Return which interactions are in train."""
    roles = Random(ratio=ratio).roles(data, 0, Stream.of(5, "crowd", "split", "random", repeat))
    assert roles.dtype == np.uint8
    return roles == Role.TRAIN


@given(st.floats(0.01, 0.99))
def test_every_interaction_is_in_train_or_in_test(ratio):
    roles = Random(ratio=ratio).roles(CROWD, 0, Stream.of(0))
    assert roles.shape == (len(CROWD),)
    assert set(roles.tolist()) <= {Role.TRAIN, Role.TEST}


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_train_sets_are_nested_in_the_ratio(a, b):
    low, high = sorted((a, b))
    assert not (train(low) & ~train(high)).any()


@pytest.mark.parametrize("ratio", [0.05, 0.2, 0.5, 0.8, 0.99])
def test_the_share_of_train_is_the_ratio_within_four_standard_errors(ratio):
    found = train(ratio).mean()
    assert abs(found - ratio) < 4 * np.sqrt(ratio * (1 - ratio) / len(CROWD))


def test_shares_vary_between_users_as_coins_do():
    share = np.bincount(CROWD.user, weights=train(0.5)) / CROWD.user_counts
    spread = (share - 0.5) / np.sqrt(0.25 / CROWD.user_counts)
    assert spread.std() == pytest.approx(1, abs=0.1)


def test_repeats_are_drawn_anew():
    first, second = train(0.5, repeat=0), train(0.5, repeat=1)
    assert abs((first == second).mean() - 0.5) < 0.02


def test_the_same_stream_draws_the_same():
    np.testing.assert_array_equal(train(0.3), train(0.3))


def test_an_interaction_keeps_its_side_when_a_filter_renumbers_users_and_items():
    kept = (CROWD.user % 3 != 0) & (CROWD.item % 2 == 1)
    users, items = np.unique(CROWD.user[kept]), np.unique(CROWD.item[kept])
    renumbered = replace(
        CROWD.take(kept),
        user=np.searchsorted(users, CROWD.user[kept]).astype(np.int32),
        item=np.searchsorted(items, CROWD.item[kept]).astype(np.int32),
        user_keys=CROWD.user_keys[users],
        item_keys=CROWD.item_keys[items],
    )
    np.testing.assert_array_equal(train(0.5, renumbered), train(0.5)[kept])


def test_the_order_of_interactions_does_not_matter():
    order = np.random.default_rng(0).permutation(len(CROWD))
    shuffled = replace(CROWD, user=CROWD.user[order], item=CROWD.item[order], rating=CROWD.rating[order])
    np.testing.assert_array_equal(train(0.5, shuffled), train(0.5)[order])


def test_neighbouring_users_and_items_are_drawn_independently():
    table = crowd(share=1.0)
    sides = train(0.5, table).reshape(table.n_users, table.n_items).astype(float)
    assert abs(np.corrcoef(sides[:, 0], sides[:, 1])[0, 1]) < 0.15
    assert abs(np.corrcoef(sides[0], sides[1])[0, 1]) < 0.3


def test_it_is_random_and_has_one_fold():
    split = plugins.build("split", "random")
    assert split.is_random
    assert split.n_folds == 1


# Exactly the share


@given(st.floats(0.01, 0.99))
def test_counted_exactly_the_share_is_that_of_the_ratio_rounded_down(ratio):
    n_train = (split(f"random(ratio={ratio!r},count=exact)", CROWD) == Role.TRAIN).sum()
    assert n_train == math.floor(ratio * len(CROWD))


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99), st.sampled_from(["{}", "per_user({})"]))
def test_exact_train_sets_are_nested_in_the_ratio(a, b, written):
    low, high = (split(written.format(f"random(ratio={ratio!r},count=exact)"), CROWD) for ratio in sorted((a, b)))
    assert not ((low == Role.TRAIN) & (high == Role.TEST)).any()


def test_every_user_has_the_share_and_one_rating_at_least_on_each_side():
    # Users with 1, 2, 3, 5 and 10 ratings: floor(.8 · n) is 0, 1, 2, 4, 8.
    rows = from_rows([[3 if item < n else None for item in range(10)] for n in (1, 2, 3, 5, 10)])
    assert n_test(split("per_user(random(ratio=.8,count=exact))", rows), rows.user).tolist() == [1, 1, 1, 1, 2]
    assert n_test(split("per_user(random(ratio=.1,count=exact))", rows), rows.user).tolist() == [1, 1, 2, 4, 9]
    assert n_test(split("per_user(random(ratio=.99,count=exact))", rows), rows.user).tolist() == [1, 1, 1, 1, 1]


def test_the_share_of_a_hundred_is_not_lost_in_binary():
    # .58 · 100 is 57.99999999999999.
    rows = from_rows([[3] * 100])
    assert n_test(split("random(ratio=.58,count=exact)", rows), rows.user).tolist() == [42]
