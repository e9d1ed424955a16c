"""Cross-validation: disjoint folds that cover everything, by interactions, by each user's interactions, or by users."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.splitting.samples import PEOPLE, n_test, split
from recsens import plugins
from recsens.errors import DesignError
from recsens.testing import from_rows
from recsens.vocabulary import Role


def folds(spec: str, data=PEOPLE) -> np.ndarray:
    """Say which interactions each fold tests, shape (n_folds, n)."""
    return np.array([split(spec, data, fold) == Role.TEST for fold in range(plugins.build("split", spec).n_folds)])


@given(st.integers(2, 12), st.sampled_from(["k_fold(k={})", "per_user(of=k_fold(k={}))"]))
def test_every_interaction_is_tested_exactly_once(k, written):
    tested = folds(written.format(k))
    assert tested.shape == (k, len(PEOPLE))
    np.testing.assert_array_equal(tested.sum(axis=0), 1)


def test_folds_are_of_even_size():
    sizes = folds("k_fold(k=7)").sum(axis=1)
    assert sizes.max() - sizes.min() <= 1


def test_the_folds_of_each_user_are_of_even_size_and_the_first_is_not_the_largest():
    tested = folds("per_user(of=k_fold(k=5))")
    of_user = np.array([np.bincount(PEOPLE.user, weights=fold, minlength=PEOPLE.n_users) for fold in tested])
    assert (of_user.max(axis=0) - of_user.min(axis=0) <= 1).all()
    expected = len(PEOPLE) / 5
    # The odd ratings of 200 users: standard deviation of a fold below sqrt(200 / 4).
    assert (abs(tested.sum(axis=1) - expected) < 4 * np.sqrt(200 / 4)).all()


def test_two_ratings_in_two_folds_are_tested_in_turn():
    tested = folds("per_user(of=k_fold(k=2))", from_rows([[3, 4], [5, 2]]))
    assert tested.sum(axis=1).tolist() == [2, 2]
    assert (tested[0] != tested[1]).all()


def test_each_user_is_tested_in_one_fold_and_teaches_with_everything_in_the_others():
    tested = folds("k_fold_users(k=4,of=leave_out(n=2))")
    of_user = np.array([n_test(np.where(fold, Role.TEST, Role.TRAIN), PEOPLE.user) for fold in tested])
    users_of_fold = (of_user > 0).sum(axis=0)
    enough = np.bincount(PEOPLE.user) > 2
    np.testing.assert_array_equal(users_of_fold, enough.astype(int))
    assert set(np.unique(of_user)) == {0, 2}


def test_users_are_dealt_evenly():
    all_rated_twice = from_rows([[3, 4]] * 10)
    sizes = folds("k_fold_users(k=4,of=leave_out)", all_rated_twice).sum(axis=1)
    assert sorted(sizes.tolist()) == [2, 2, 3, 3]


def test_every_fold_of_users_has_every_fold_of_the_split_within():
    assert plugins.build("split", "k_fold_users(k=4,of=k_fold(k=3))").n_folds == 12
    tested = folds("k_fold_users(k=4,of=k_fold(k=3))")
    np.testing.assert_array_equal(tested.sum(axis=0), 1)


def test_more_folds_than_users_are_refused():
    with pytest.raises(DesignError) as error:
        split("k_fold_users(k=3)", from_rows([[3, 4], [5, 2], [None, None]]))
    assert "2 users cannot be divided into 3 folds" in str(error.value)
    assert "k <= 2" in str(error.value)


# Validation


def test_the_validation_set_is_taken_from_train_and_leaves_the_test_set_as_it_is():
    plain, validated = split("k_fold(k=3)", PEOPLE, 1), split("validated(of=k_fold(k=3),inside=random(ratio=.5))", PEOPLE, 1)
    np.testing.assert_array_equal(plain == Role.TEST, validated == Role.TEST)
    share = (validated == Role.VALIDATION).sum() / (plain == Role.TRAIN).sum()
    assert share == pytest.approx(0.5, abs=0.07)


def test_nested_folds_validate_every_train_rating_once():
    spec = "validated(of=k_fold(k=3),inside=k_fold(k=2))"
    assert plugins.build("split", spec).n_folds == 6
    roles = np.array([split(spec, PEOPLE, fold) for fold in range(6)])
    for outer in range(3):
        within = roles[2 * outer : 2 * outer + 2]
        np.testing.assert_array_equal((within == Role.TEST)[0], (within == Role.TEST)[1])
        np.testing.assert_array_equal((within == Role.VALIDATION).sum(axis=0), (within[0] != Role.TEST).astype(int))


def test_the_draws_of_validation_are_not_those_of_test():
    # If validation reused the draws of the test set, no rating below .5 · .5 would ever be in it.
    roles = split("validated(of=random(ratio=.5),inside=random(ratio=.5))", PEOPLE)
    assert (roles == Role.VALIDATION).sum() > 0.2 * len(PEOPLE)
