"""Metrics with one value for all users: by hand, and by slow definitions."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import auc, roc_auc_score

from metrics.rankings import NAN, STARS, A, User, built, judged, populations
from recsens.errors import SpecError
from recsens.metrics import WHOLE, parse_measured_at


def pooled(spec, users, *cutoffs, view="full"):
    found = built(spec).measure(judged(users, view=view), cutoffs or (WHOLE,))
    assert found.shape == (1, len(cutoffs) or 1)
    return found[0] if cutoffs else found[0, 0]


def test_half_life_utility_of_four_ratings():
    assert pooled("HLU", [User(4, {1: 5, 2: 4, 3: 2, 4: 5})]) == pytest.approx(91.8249, abs=5e-5)
    assert pooled("HLU(neutral=3.0,alpha=5.0)", [User(4, {1: 5, 2: 4, 3: 2, 4: 5})]) == pytest.approx(91.8249, abs=5e-5)


def test_half_life_utility_is_a_ratio_of_sums():
    # Utilities 2 of 2, and 2^(-1/4) of 1.
    users = [User(1, {1: 5}), User(2, {2: 4})]
    assert pooled("HLU", users) == pytest.approx(100 * (2 + 2**-0.25) / 3)
    # Utility 4.030104 of 4.388900, and none of 1.
    assert pooled("HLU", [User(4, {1: 5, 2: 4, 3: 2, 4: 5}), User(0, {}, (4,))]) == pytest.approx(403.0104 / 5.388900, abs=5e-5)
    assert pooled("HLU", users, 1, 2) == pytest.approx([100 * 2 / 3, 100 * (2 + 2**-0.25) / 3])
    assert pooled("HLU", users, view="condensed") == pytest.approx(100)


def test_half_life_utility_of_little():
    assert pooled("HLU", [User(3, {1: 3, 2: 1})]) == 0
    assert pooled("HLU", [User(0, {})]) == 0
    # Without ratings, each judged item is worth one.
    assert pooled("HLU", [User(2, {2: NAN})]) == pytest.approx(100 * 2**-0.25)
    with pytest.raises(SpecError, match="alpha"):
        parse_measured_at("HLU(alpha=1.0)")


# Two users: scores .9 (relevant) and .8; .7 and .6 (relevant) and .5.
TWO = [User(2, {1: 5, 2: 1}, scores=((1, 0.9), (2, 0.8))), User(3, {1: 5, 2: 4, 3: 1}, scores=((1, 0.7), (2, 0.6), (3, 0.5)))]


def test_the_global_curve_orders_pairs_of_all_users():
    assert pooled("GROC", TWO) == pytest.approx(4 / 6)


def test_the_customer_curve_gives_every_user_as_many_items():
    assert pooled("CROC(form=area)", TWO) == pytest.approx(0.916667, abs=5e-7)
    assert pooled("CROC", TWO) == 1


def test_curves_without_both_kinds_are_what_chance_gives():
    for users in ([User(1, {1: 5})], [User(1, {1: 1})], [User(0, {})]):
        for spec in ("GROC", "CROC", "CROC(form=area)"):
            assert pooled(spec, users) == 0.5


def test_items_that_are_not_ranked_follow_as_chance_would_have_it():
    assert pooled("CROC(form=area)", [User(0, {}, (5, 1, 1))]) == pytest.approx(0.5)
    # First a miss, then one of two is a hit: (0, 0), (1/2, 0), (3/4, 1/2), (1, 1).
    assert pooled("CROC(form=area)", [User(1, {1: 1}, (5, 1))]) == pytest.approx(1 / 16 + 3 / 16)


def points(rows):
    """Corners of the customer curve for each L, given the share of each item that is relevant."""
    deepest = max(map(len, rows), default=0)
    hits = [sum(sum(row[:L]) for row in rows) for L in range(deepest + 1)]
    shown = [sum(min(L, len(row)) for row in rows) for L in range(deepest + 1)]
    misses = [n - h for n, h in zip(shown, hits, strict=True)]
    return [miss / misses[-1] for miss in misses], [hit / hits[-1] for hit in hits]


# Slow definitions, of users, a view and a cut-off


def likes(rating):
    return float(rating >= 4)


def groc(users, view, n):
    pairs = [(score, user.ranked[rank]) for user in users for rank, score in user.scores]
    good, bad = ([score for score, rating in pairs if likes(rating) == wanted] for wanted in (1, 0))
    if not good or not bad:
        return 0.5
    wins = sum((a > b) + (a == b) / 2 for a, b in product(good, bad)) / (len(good) * len(bad))
    assert wins == pytest.approx(roc_auc_score([likes(rating) for _, rating in pairs], [score for score, _ in pairs]))
    return wins


def croc_area(users, view, n):
    ranked = [[likes(user.ranked[rank]) for rank in sorted(user.ranked)] for user in users]
    left = [[likes(rating) for rating in user.unranked] for user in users]
    rows = [[*row, *[np.mean(rest)] * len(rest)] if rest else row for row, rest in zip(ranked, left, strict=True)]
    everything = [label for row in rows for label in row]
    return auc(*points(rows)) if 0 < sum(everything) < len(everything) else 0.5


def croc(users, view, n):
    labels = [sorted(map(likes, [*user.ranked.values(), *user.unranked]), reverse=True) for user in users]
    everything = [label for row in labels for label in row]
    return croc_area(users, view, n) / auc(*points(labels)) if 0 < sum(everything) < len(everything) else 0.5


def hlu(alpha):
    def value(users, view, n):
        def utility(ratings):
            return sum(max(rating - 3, 0) * 0.5 ** ((k - 1) / (alpha - 1)) for k, rating in ratings if k <= n)

        def ranked(user):
            found = sorted(user.ranked.items())
            return found if view == "full" else [(k, rating) for k, (_, rating) in enumerate(found, start=1)]

        def best(user):
            return utility(enumerate(sorted([*user.ranked.values(), *user.unranked], reverse=True), start=1))

        found, ideal = sum(map(utility, map(ranked, users))), sum(map(best, users))
        return 100 * found / ideal if ideal else 0

    return value


def bound(side):
    def value(users, view, n):
        n_hits = n_relevant = 0
        for user in users:
            rated = sorted(user.ranked)
            positions = {rank: rank if view == "full" else place for place, rank in enumerate(rated, 1)}
            relevant = [rank for rank, rating in user.ranked.items() if rating >= STARS.relevance]
            own = len(relevant) + sum(rating >= STARS.relevance for rating in user.unranked)
            depth = n if side == "lower" else n + own - 1
            n_hits += sum(positions[rank] <= depth for rank in relevant)
            n_relevant += own
        return n_hits / (n * n_relevant) if n_relevant else 0.0

    return value


DEFINED = {
    **{f"Bound1R(side={side})": bound(side) for side in ("lower", "upper")},
    "GROC": groc,
    "CROC": croc,
    "CROC(form=area)": croc_area,
    **{f"HLU(alpha={alpha})": hlu(alpha) for alpha in (1.5, 5.0, 10.0)},
}


@given(populations(STARS), st.sampled_from(["full", "condensed"]), st.integers(1, 12))
def test_as_defined(users, view, n):
    for spec, value in DEFINED.items():
        assert pooled(spec, users, n, view=view)[0] == pytest.approx(value(users, view, n)), spec


@given(populations(STARS))
def test_dropped_users_change_nothing_but_their_own_part(users):
    kept = [place % 2 == 0 for place in range(len(users))]
    rest = [user for user, keep in zip(users, kept, strict=True) if keep]
    for spec in ("HLU", "GROC", "CROC", "MAE", "PredictionCoverage"):
        some = built(spec).measure(judged(users).of_users(np.array(kept)), (WHOLE,))
        np.testing.assert_allclose(some, built(spec).measure(judged(rest), (WHOLE,)), rtol=0, atol=1e-12)


def test_a_ranking_of_the_worked_example():
    assert pooled("PredictionCoverage", [A]) == 0
    assert not math.isnan(pooled("CROC", [A]))
