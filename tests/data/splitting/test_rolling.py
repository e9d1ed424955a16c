"""Time windows that are tested one after another, each with everything before it in train."""

from dataclasses import replace

import numpy as np
import pytest

from data.splitting.samples import PEOPLE, letters, split, timed
from recsens import plugins
from recsens.errors import DesignError
from recsens.pipeline.splitting import fold_facts
from recsens.vocabulary import Role

DAY = 86_400
DAYS = timed(", ".join(f"{user} {item} {day * DAY}" for user, item, day in [(0, 0, 0), (0, 1, 3), (1, 0, 4), (1, 1, 6), (2, 0, 9)]))


def test_windows_end_with_the_newest_rating_and_train_holds_all_before():
    # Two windows of three days up to day 9: days 4 to 6 and 7 to 9.
    assert letters(split("rolling(windows=2,horizon=3)", DAYS, 0)) == "..TT-"
    assert letters(split("rolling(windows=2,horizon=3)", DAYS, 1)) == "....T"


def test_a_window_may_be_a_part_of_a_day():
    assert letters(split("rolling(windows=1,horizon=0.5)", DAYS)) == "....T"


def test_windows_are_disjoint_and_no_train_set_knows_the_future():
    spec = "rolling(windows=4,horizon=.0005)"
    tested = np.zeros(len(PEOPLE), dtype=int)
    for fold in range(plugins.build("split", spec).n_folds):
        roles = split(spec, PEOPLE, fold)
        tested += roles == Role.TEST
        assert PEOPLE.timestamp[roles == Role.TRAIN].max() < PEOPLE.timestamp[roles == Role.TEST].min()
    assert tested.max() == 1
    newest = PEOPLE.timestamp.max()
    np.testing.assert_array_equal(tested == 1, PEOPLE.timestamp > newest - 4 * 43)


def test_a_day_is_a_day_in_any_unit():
    now = 1_600_000_000
    for unit in (1, 1_000, 1_000_000):
        data = replace(DAYS, timestamp=(DAYS.timestamp + now) * unit)
        assert letters(split("rolling(windows=2,horizon=3)", data, 0)) == "..TT-"


@pytest.mark.parametrize(
    ("spec", "told"),
    [("rolling(windows=4,horizon=3)", "train set of window 1 of 4"), ("rolling(windows=3,horizon=1)", "test set of window 1 of 3")],
)
def test_a_window_without_ratings_on_a_side_is_refused(spec, told):
    with pytest.raises(DesignError, match=told) as refused:
        split(spec, DAYS)
    assert "from 1970-01-01" in str(refused.value)


def test_the_record_of_a_fold_says_what_train_knows_of_the_future():
    # In train: days 0, 4 and 9; in test: days 3 and 6, both before day 9. Item 1 is in no train rating.
    roles = np.array([Role.TRAIN, Role.TEST, Role.TRAIN, Role.TEST, Role.TRAIN], dtype=np.uint8)
    facts = fold_facts(plugins.build("split", "random"), DAYS, roles)
    assert facts["test_ratings_older_than_train"] == 1
    assert (facts["tested_items_without_train"], facts["test_ratings_of_items_without_train"]) == (1, 2)
    assert (facts["tested_users_without_train"], facts["test_ratings_of_users_without_train"]) == (0, 0)
    newest = fold_facts(plugins.build("split", "rolling"), DAYS, split("rolling(windows=1,horizon=3)", DAYS))
    assert newest["test_ratings_older_than_train"] == 0
    # User 2 appears only on day 9.
    assert (newest["tested_users_without_train"], newest["test_ratings_of_users_without_train"]) == (1, 1)


def test_without_time_stamps_nothing_is_said_of_the_future():
    roles = np.array([Role.TRAIN, Role.TEST, Role.TRAIN, Role.TEST, Role.TRAIN], dtype=np.uint8)
    assert "test_ratings_older_than_train" not in fold_facts(plugins.build("split", "random"), replace(DAYS, timestamp=None), roles)
