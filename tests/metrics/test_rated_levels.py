"""Prediction metrics restricted to some test ratings treat the others as if they were not in the test set."""

import numpy as np
import pytest

from metrics.rankings import HALF_STARS, STARS, built
from metrics.test_errors import X, measure, predicted
from recsens import plugins
from recsens.errors import DesignError, SpecError
from recsens.metrics import Metric
from recsens.metrics._predictions import PredictionMetric

METRICS = [name for name in plugins.names("metric") if issubclass(type(built(name)), PredictionMetric)]


def some_rows():
    """Ratings of 30 users with their predictions, every tenth of them missing, as half stars."""
    rng = np.random.default_rng(8)
    score = np.where(rng.random(300) < 0.1, X, rng.uniform(1, 5, 300))
    return [
        (int(user), int(item), rating, p)
        for user, item, rating, p in zip(
            np.arange(300) // 10, rng.integers(0, 40, 300), rng.integers(2, 11, 300) / 2, score, strict=True
        )
    ]


ROWS = some_rows()


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize(("text", "low", "high"), [("4..5", 4, 5), ("0.5..2.5", 0.5, 2.5), ("3..3", 3, 3), ("1..5", 1, 5)])
def test_other_ratings_might_as_well_not_be_in_the_test_set(name, text, low, high):
    kept = [row for row in ROWS if low <= row[2] <= high]
    found = measure(f"{name}(ratings={text})", predicted(ROWS, n_users=30, scale=HALF_STARS), 3, 20)
    np.testing.assert_array_equal(found, measure(name, predicted(kept, n_users=30, scale=HALF_STARS), 3, 20))


@pytest.mark.parametrize("name", METRICS)
def test_relevant_ratings_follow_the_threshold(name):
    for relevance in (2, 3.5, 5):
        kept = [row for row in ROWS if row[2] >= relevance]
        found = measure(f"{name}(ratings=relevant)", predicted(ROWS, n_users=30, scale=HALF_STARS, relevance=relevance), 5)
        np.testing.assert_array_equal(found, measure(name, predicted(kept, n_users=30, scale=HALF_STARS), 5))


def test_who_has_no_such_rating_is_left_out():
    judged = predicted([(0, 0, 5, 4), (1, 0, 2, 3), (2, 0, 5, X)])
    assert np.isnan(measure("uMAE(ratings=4..5)", judged)[:, 0]).tolist() == [False, True, True]
    assert measure("PracticalAccuracy(ratings=4..5)", judged)[2, 0] == 0
    assert np.isnan(measure("MAE(ratings=1..1)", judged)[0, 0])


def test_only_relevant_ratings_depend_on_the_threshold():
    assert "relevance" in built("uMAE").ignored
    assert "relevance" in built("uMAE(ratings=4..5)").ignored
    assert "relevance" not in built("uMAE(ratings=relevant)").ignored
    assert built("uMAE(ratings=4)").printed == "uMAE(norm=none,ratings=4..4)"
    assert built("SDCSE(ratings=4.0..5)").printed == "SDCSE(norm=worst,ratings=4..5)"


@pytest.mark.parametrize("text", ["4..", "5..4", "high", "4...5", "nan..5"])
def test_what_is_no_range_of_ratings_is_refused(text):
    with pytest.raises(SpecError, match=r"all, relevant .* such as 4\.\.5"):
        Metric.build(f"MAE(ratings={text})")


def test_a_range_off_the_scale_is_refused():
    with pytest.raises(DesignError, match=r"no rating from 7 to 9 is on the scale.*\n?.*from 1 to 5"):
        measure("MAE(ratings=7..9)", predicted([(0, 0, 5, 4)], scale=STARS))
