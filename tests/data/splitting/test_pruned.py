"""A filter that affects only the train set: the test set is that of the inner split."""

import numpy as np
import pytest

from data.splitting.samples import PEOPLE, letters, split, timed
from recsens.errors import DesignError
from recsens.vocabulary import Role

FEW = timed("0 0 1, 0 1 2, 0 2 9, 1 0 3, 1 2 4, 2 1 9")


def test_what_is_rare_in_train_is_dropped_from_train_alone():
    # By time, the last two are tested; in train, items 1 and 2 have one rating each.
    assert letters(split("temporal(ratio=.7)", FEW)) == "..T..T"
    assert letters(split("pruned(of=temporal(ratio=.7),filter=ratings_per_item(at_least=2))", FEW)) == ".-T.-T"


@pytest.mark.parametrize("of", ["random", "k_fold(k=3)", "validated(of=random,inside=random)"])
def test_test_and_validation_stay_whole(of):
    before, after = split(of, PEOPLE), split(f"pruned(of={of},filter=k_core(users=2,items=5))", PEOPLE)
    for role in (Role.TEST, Role.VALIDATION):
        np.testing.assert_array_equal(before == role, after == role)
    is_train = after == Role.TRAIN
    assert 0 < is_train.sum() < (before == Role.TRAIN).sum()
    for code, least in ((PEOPLE.user, 2), (PEOPLE.item, 5)):
        counts = np.bincount(code[is_train])
        assert counts[counts > 0].min() >= least


def test_a_filter_that_leaves_nothing_is_refused():
    with pytest.raises(DesignError, match="leaves the train set empty"):
        split("pruned(of=random,filter=k_core(users=500,items=500))", PEOPLE)
