"""A test repeated on random subsets of users."""

import math

import numpy as np
import pytest

from recsens import plugins
from recsens.errors import SpecError
from recsens.seeds import Stream

STREAM = Stream.of(0, "tests")


def test_all_subsets_tell_apart_what_differs_for_everybody():
    a, b = np.arange(20) / 20, np.arange(20) / 20 + np.tile([0.3, 0.4], 10)
    assert plugins.build("test", "subsamples(n=20)").compare(a, b, STREAM).share_significant == 1
    assert plugins.build("test", "subsamples(n=20)").compare(a, a, STREAM).share_significant == 0


def test_the_share_counted_by_hand():
    # One user of twelve differs. Half of the users are six: with the user, t = 1 and p = .363; else all are zero, and p is 1. So
    # p < .6 wherever the user is drawn: on half of the subsets.
    a, b = np.array([1.0, *[0.0] * 11]), np.zeros(12)
    found = plugins.build("test", "subsamples(n=2000,alpha=0.6)").compare(a, b, STREAM)
    assert found.share_significant == pytest.approx(0.5, abs=0.04)
    assert plugins.build("test", "subsamples(alpha=0.3)").compare(a, b, STREAM).share_significant == 0
    assert found.p_value == pytest.approx(plugins.build("test", "t").compare(a, b, STREAM).p_value)


def test_more_users_tell_more():
    rng = np.random.default_rng(0)
    a = rng.random(400)
    b = a + rng.normal(0.02, 0.2, 400)
    shares = [
        plugins.build("test", f"subsamples(share={share})").compare(a, b, STREAM).share_significant for share in (0.1, 0.5, 0.9)
    ]
    assert shares[0] < shares[1] < shares[2]


def test_subsets_grow_with_their_share():
    users = np.random.default_rng(1).random(50) < 0.7
    sets = [
        plugins.build("test", f"subsamples(share={share})")._subset(users, STREAM.child("subset", 3)) for share in (0.2, 0.5, 0.8)
    ]
    assert [int(found.sum()) for found in sets] == [round(share * users.sum()) for share in (0.2, 0.5, 0.8)]
    assert not (sets[0] & ~sets[1]).any()
    assert not (sets[1] & ~sets[2]).any()
    assert not (sets[2] & ~users).any()


def test_subsets_of_too_few_users_say_nothing():
    a, b = np.array([0.1, 0.5, 0.3, 0.2, 0.2, 0.2]), np.full(6, 0.2)
    found = plugins.build("test", "subsamples(share=0.3)").compare(a, b, STREAM)
    assert math.isnan(found.share_significant)
    assert 0 < found.p_value < 1


def test_the_repeated_test_is_checked_like_any_other():
    with pytest.raises(SpecError, match="unknown test 'tt'"):
        plugins.build("test", "subsamples(of=tt)")
    with pytest.raises(SpecError, match="share"):
        plugins.build("test", "subsamples(share=1)")
