"""In every design, a random recommender's value agrees with the formula within three standard errors."""

import numpy as np
import pytest

from recsens import plugins
from recsens.metrics import Metric
from recsens.outcomes.measuring.stored_rankings import RankedUsers
from recsens.ranking import rank
from recsens.ranking.nc.drop import Drop
from recsens.recommenders.trivial import Random
from recsens.seeds import Stream
from recsens.testing import from_rows

STREAM = Stream.of(5, "expectation")
DESIGNS = ("ar", "ar(items=test)", "ar(n=20)", "ar(negatives=unrated)", "one_r", "one_r(items=test,n=15)", "p1r(m=3,n=8)")


@pytest.fixture(scope="module")
def data():
    """Ratings of 400 users for 60 items, the first ones far more popular; some users have no test rating."""
    rng = np.random.default_rng(8)
    popular = np.linspace(0.9, 0.05, 60)
    seen = rng.random((400, 60)) < popular
    in_test = rng.random((400, 60)) < np.where(np.arange(400) < 20, 0.0, 0.4)[:, np.newaxis]
    rating = rng.integers(1, 6, (400, 60))
    train, test = (np.where(seen & side, rating, 0) for side in (~in_test, in_test))
    return tuple(from_rows([[int(value) or None for value in row] for row in side]) for side in (train, test))


@pytest.mark.parametrize("view", ["full", "condensed"])
@pytest.mark.parametrize("targets", DESIGNS)
def test_random_is_within_three_standard_errors(data, targets, view):
    chosen = plugins.build("targets", targets)
    if chosen.unit == "rating" and view == "condensed":
        pytest.skip("each ranking judges a single rating")
    train, test = data
    found = rank(
        Random().fit(train, np.random.default_rng(3)), train, test, targets=chosen, relevance=4.0, ties="random", nc=Drop(),
        fallback=None, list_depth=3, tie_stream=STREAM, target_stream=STREAM,
    )  # fmt: skip
    ranked = RankedUsers.of(found, train.scale)
    judged = ranked.judged(view, 4.0)
    for name in ("P", "R", "nDCG", "nDCG(gain=linear)"):
        metric = Metric.build(name)
        values, expected = metric.measure(judged, (2, 20)), metric.at_random(ranked.unordered(judged, view), (2, 20))
        # Every deviation has an expected value of zero, so the squares estimate the variance of the sum.
        deviation = values - expected
        error = np.sqrt((deviation**2).sum(axis=0))
        # There may be only twenty items, or all condensed items may be relevant; then the order does not matter.
        assert error[0] > 0 or (targets, view) == ("ar(negatives=unrated)", "condensed"), name
        assert (np.abs(deviation.sum(axis=0)) <= 3 * error + 1e-9).all(), name
