"""Random recommendation: independent of everything but the stream and the identities."""

import numpy as np
import pytest

from recsens.data.interactions import Interactions
from recsens.recommenders.trivial import Random
from recsens.seeds import Stream
from recsens.testing import crowd


def scored(train: Interactions, seed: int = 1) -> np.ndarray:
    model = Random().fit(train, np.random.default_rng(seed))
    return model.score(train, np.arange(train.n_users))


def test_scores_are_the_hash_of_key_user_and_item():
    train = crowd(n_users=3, n_items=4)
    model = Random().fit(train, np.random.default_rng(1))
    key = int(np.random.default_rng(1).integers(2**64 - 1, dtype=np.uint64, endpoint=True))
    assert model.score(train, np.array([2]))[0, 3] == Stream(key).uniform(2, 3)


def test_scores_are_uniform_and_never_tie():
    scores = scored(crowd())
    assert scores.min() >= 0
    assert scores.max() < 1
    assert np.unique(scores).size == scores.size
    counts, _ = np.histogram(scores, bins=10, range=(0, 1))
    # 72,000 draws: the standard deviation of a bin's count is 80.
    assert np.abs(counts - 7200).max() < 400


def test_users_are_independent():
    correlation = np.corrcoef(scored(crowd())[:50])
    # 120 items: a correlation has a standard deviation of .09.
    assert np.abs(correlation[~np.eye(50, dtype=bool)]).max() < 0.45


def test_renumbering_users_and_items_does_not_redraw():
    train = crowd(n_users=10, n_items=8)
    kept_users, kept_items = np.array([1, 4, 9]), np.array([0, 2, 7])
    none = np.empty(0, dtype=np.int32)
    filtered = Interactions(none, none, np.empty(0), None, train.user_keys[kept_users], train.item_keys[kept_items], train.scale)
    np.testing.assert_array_equal(scored(filtered), scored(train)[np.ix_(kept_users, kept_items)])


@pytest.mark.parametrize("seed", [2, 3])
def test_another_stream_draws_another_ranking(seed):
    train = crowd(n_users=20, n_items=30)
    assert (scored(train).argsort(axis=1) != scored(train, seed).argsort(axis=1)).any(axis=1).all()
