"""The expected value of a random order: every formula, compared with the mean over all orders of the targets."""

import math
from itertools import permutations

import numpy as np
import pytest

from metrics.rankings import NAN, User, built, judged
from recsens import plugins

KNOWN = (
    *("P", "R", "AntiP", "Fallout", "DCG", "DCG(gain=exp,discount=jk2)"),
    *("nDCG", "nDCG(gain=exp)", "nDCG(gain=linear,ideal=uncut)", "nDCG(discount=jk2)"),
)

# Five targets with ratings 5, 2, 4 and two unjudged ones; a 5 is judged but not a target. Then only misses, and then no targets.
USERS = [([5, 2, 4, None, None], (5.0,)), ([1, None, None], ()), ([], (4.0,))]


def unordered():
    """Arrange the judged items as `at_random` requires: position 1 for a target."""
    ranked = [User(len(ratings), {1: ratings[0]} if ratings else {}, out) for ratings, out in USERS]
    seen = judged(ranked)
    user, rating, position = [], [], []
    for code, (ratings, out) in enumerate(USERS):
        for value, is_target in [*((value, 1) for value in ratings if value is not None), *((value, 0) for value in out)]:
            user.append(code)
            rating.append(float(value))
            position.append(is_target)
    return type(seen).of(
        user=np.array(user, dtype=np.int32),
        position=np.array(position),
        rating=np.array(rating),
        targets_ranked=np.array([len(ratings) for ratings, _ in USERS]),
        view="full",
        scale=seen.scale,
        relevance=4.0,
    )


def over_all_orders(spec: str, cutoffs: tuple[int, ...]) -> np.ndarray:
    """Average a metric over every order of each user's targets."""
    rows = []
    for ratings, out in USERS:
        values = []
        for order in permutations(ratings):
            ranked = {rank: value for rank, value in enumerate(order, 1) if value is not None}
            values.append(built(spec).measure(judged([User(len(ratings), ranked, out)]), cutoffs)[0])
        rows.append(np.mean(values, axis=0))
    return np.array(rows)


@pytest.mark.parametrize("spec", KNOWN)
def test_the_formula_is_the_mean_over_all_orders(spec):
    cutoffs = (3, 1, 10)
    found = built(spec).at_random(unordered(), cutoffs)
    np.testing.assert_allclose(found, over_all_orders(spec, cutoffs), atol=1e-12)


def test_of_five_targets_two_are_relevant():
    # Of the first three, 3 · 2/5 are hits on average; there are three relevant items.
    assert built("P").at_random(unordered(), (3,))[0] == pytest.approx(2 / 5)
    assert built("R").at_random(unordered(), (3,))[0] == pytest.approx(3 * 2 / 5 / 3)
    # A list of five cannot fill ten places.
    assert built("P").at_random(unordered(), (10,))[0] == pytest.approx(2 / 10)


def test_metrics_without_a_formula_say_so():
    assert built("nDCG(ideal=list)").at_random(unordered(), (3,)) is None
    known = {name for name in plugins.names("metric") if built(name).at_random(unordered(), (3,)) is not None}
    assert known == {spec.partition("(")[0] for spec in KNOWN}


def test_without_ratings_all_judged_items_are_relevant():
    seen = judged([User(4, {1: NAN})])
    assert built("P").at_random(seen, (2,))[0] == pytest.approx(1 / 4)
    assert not math.isnan(built("nDCG").at_random(seen, (2,))[0, 0])
