"""Properties that hold for any ranking, whatever the metric's formula."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.definitions import METRICS, OF_TWO_RANKINGS, written
from metrics.rankings import STARS, User, built, cutoff_lists, judged, measure, populations, users
from recsens import plugins
from recsens.compiled.machine_code import python_if_few_rows
from recsens.metrics import WHOLE, variants
from recsens.metrics._kernels import add_down, fill_first_reaching, fill_ideal_sums

few = settings(max_examples=25)
"""Each example holds several users, hence several rankings."""

fewer = settings(max_examples=8)
"""Number of examples for properties that are tested for every metric with many kinds of parameters."""


@fewer
@given(populations(STARS), cutoff_lists)
def test_values_stay_in_their_range(given, cutoffs):
    for view in ("full", "condensed"):
        seen = judged(given, view=view)
        for name, params in [*METRICS, *OF_TWO_RANKINGS]:
            found = measure(written(name, params), seen, *cutoffs)
            low = -1 if "[-1" in plugins.load("metric", name).values_range else 0
            # The sum of inverse ranks is the only one without a bound.
            high = sum(1 / k for k in range(1, 16)) if name == "ARHR" else 1
            assert found.min() >= low - 1e-12, name
            assert found.max() <= high + 1e-12, name


@pytest.mark.parametrize("phi", [0.05, 0.3, 0.45, 0.62, 0.8, 0.9, 0.95])
def test_a_residual_is_never_negative_however_much_is_judged(phi):
    everything = judged([User(600, dict.fromkeys(range(1, 601), 5.0))])
    assert (measure(f"RBPResidual(phi={phi})", everything, *range(1, 601)) >= 0).all()


@few
@given(populations(STARS), st.integers(1, 15), st.sampled_from([0.3, 0.8, 0.95]), st.sampled_from(["binary", "exp", "linear"]))
def test_rbp_and_its_residual_bracket_the_truth(given, n, phi, gain):
    # The true value, if every unjudged item and everything below is as good, or as bad, as possible.
    low = measure(f"RBP(phi={phi},gain={gain})", judged(given), n)
    high = low + measure(f"RBPResidual(phi={phi})", judged(given), n)
    assert (high <= 1 + 1e-12).all()
    best = [User(40, {**dict.fromkeys(range(1, 41), 5.0), **{k: r for k, r in u.ranked.items() if k <= n}}) for u in given]
    assert (measure(f"RBP(phi={phi},gain={gain})", judged(best), 40) <= high + 1e-12).all()


@few
@given(populations(STARS))
def test_deeper_cutoffs_never_lose_hits_or_weight(given):
    for view in ("full", "condensed"):
        seen, depths = judged(given, view=view), tuple(range(1, 15))
        assert (np.diff(measure("P", seen, *depths) * depths) >= -1e-12).all()
        assert (np.diff(measure("RBP(gain=linear)", seen, *depths)) >= -1e-12).all()
        assert (np.diff(measure("RBPResidual", seen, *depths)) <= 1e-12).all()
        assert (np.diff(measure("nDCG(gain=exp,ideal=uncut)", seen, *depths)) >= -1e-12).all()


@few
@given(users(st.integers(1, 5).map(float)), st.data())
def test_a_better_item_moved_up_never_costs_anything(user, data):
    if len(user.ranked) < 2:
        return
    first, second = sorted(data.draw(st.permutations(sorted(user.ranked)))[:2])
    swapped = {**user.ranked, first: user.ranked[second], second: user.ranked[first]}
    better, worse = (swapped, user.ranked) if user.ranked[first] < user.ranked[second] else (user.ranked, swapped)
    for spec in ("P", "R", "RR", "AP", "nDCG", "nDCG(gain=exp)", "nDCG(gain=linear,ideal=uncut)", "RBP", "RBP(gain=exp)", "AUC"):
        for view in ("full", "condensed"):
            high, low = (
                measure(spec, judged([User(user.listed, ranked, user.unranked)], view=view), 3, 12) for ranked in (better, worse)
            )
            assert (high >= low - 1e-12).all()


@few
@given(st.lists(st.integers(1, 5), min_size=1, max_size=12), st.integers(1, 15))
def test_the_ideal_ranking_measures_one(ratings, n):
    ideal = User(len(ratings), {rank: float(r) for rank, r in enumerate(sorted(ratings, reverse=True), start=1)})
    for gain in ("binary", "exp", "linear"):
        found = measure(f"nDCG(gain={gain})", judged([ideal], relevance=1), n)[0, 0]
        assert found == pytest.approx(0 if gain == "exp" and max(ratings) == 1 else 1, abs=1e-12)


@fewer
@given(populations(STARS), cutoff_lists)
def test_unjudged_items_below_the_last_judged_one_change_nothing_that_is_condensed(given, cutoffs):
    longer = [replace(user, listed=user.listed + 7) for user in given]
    for name, params in METRICS:
        spec = written(name, params)
        a, b = (measure(spec, judged(found, view="condensed"), *cutoffs) for found in (given, longer))
        np.testing.assert_array_equal(a, b)


@few
@given(populations(STARS), st.permutations([1, 3, 5, 10, 12]))
def test_cutoffs_may_be_given_in_any_order_and_alone(given, cutoffs):
    seen = judged(given)
    for spec in ("P", "nDCG", "nDCG(ideal=uncut)", "nDCG(ideal=list)", "RBP", "RBPResidual", "Unrated", "AP", "Bpref", "Rprec"):
        together = measure(spec, seen, *cutoffs)
        for place, cutoff in enumerate(cutoffs):
            np.testing.assert_allclose(together[:, place], measure(spec, seen, cutoff)[:, 0], rtol=0, atol=1e-15)


@few
@given(populations(STARS), cutoff_lists, st.integers(1, 9))
def test_the_order_of_a_users_rows_does_not_matter(given, cutoffs, seed):
    for view in ("full", "condensed"):
        for spec in ("P", "nDCG(gain=exp)", "RBP", "Unrated", "AP", "infAP", "ERR", "KendallTau(ties=score)", "RBO"):
            a, b = (measure(spec, judged(given, view=view, seed=order), *cutoffs) for order in (0, seed))
            np.testing.assert_allclose(a, b, rtol=0, atol=1e-14)


UNJUDGED = 0.0
NAMES = [
    *plugins.names("metric"),
    *(f"recsens.metrics.variants.{name}" for name, each in vars(variants).items() if isinstance(each, type)),
]
BOUNDED = [name for name in NAMES if built(name).has_range_by_ties and built(name).reads == "positions"]


@pytest.mark.parametrize("ratings", [(UNJUDGED, 1, 2, 4, 5), (UNJUDGED, UNJUDGED, 1, 3, 5), (1, 4, 5, 5, 5)])
@pytest.mark.parametrize("view", ["full", "condensed"])
def test_the_best_and_the_worst_order_bound_every_metric_that_says_so(view, ratings):
    orders = [sorted(ratings, reverse=True), sorted(ratings), *sorted(set(permutations(ratings)))]
    given = [
        User(len(order), {rank: rating for rank, rating in enumerate(order, 1) if rating != UNJUDGED}, (4,)) for order in orders
    ]
    together, alone = judged(given, view=view), [judged([user], view=view) for user in given]
    for spec in [*BOUNDED, "nDCG(gain=exp,ideal=uncut)", "RBP(gain=linear)", "ERR(gain=exp)"]:
        metric = built(spec)
        cutoffs = (WHOLE,) if metric.takes_cutoff == "never" else (1, 2, 3, 4)
        boards = alone if metric.unit == "pooled" else [together]
        values = np.concatenate([measure(spec, board, *cutoffs) for board in boards])
        worth = np.nan_to_num(values if metric.higher_is_better else -values)
        assert (worth[1] - 1e-9 <= worth).all(), spec
        assert (worth <= worth[0] + 1e-9).all(), spec


def test_a_metric_that_a_judged_item_may_lower_has_no_range():
    without = (
        "AntiP",
        "Fallout",
        "infAP",
        "IPSP",
        "AP(denominator=retrieved)",
        "Bpref(denominator=retrieved)",
        "ARC",
        "nDCG(ideal=list)",
    )
    assert not any(built(spec).has_range_by_ties for spec in without)


@pytest.mark.parametrize("seed", range(20))
def test_few_rows_are_computed_without_machine_code_to_the_same_bytes(seed):
    rng = np.random.default_rng(seed)
    n_users, n = 3, int(rng.integers(1, 14))
    cutoffs, position = np.array([1, 3, 10]), rng.integers(1, 11, size=n)
    user, values = np.sort(rng.integers(0, n_users, size=n)).astype(np.int32), rng.normal(size=n)
    starts, weights = np.searchsorted(user, np.arange(n_users + 1)), rng.random(n)

    def results(n_rows):
        column, sums, ideal = np.empty(n, dtype=np.int32), np.empty((n_users, 3)), np.empty((n_users, 3))
        python_if_few_rows(fill_first_reaching, n_rows)(cutoffs, position, column)
        python_if_few_rows(add_down, n_rows)(user, column, values, np.array([2, 0, 1]), sums)
        python_if_few_rows(fill_ideal_sums, n_rows)(values, starts, weights, cutoffs, ideal)
        return [array.tobytes() for array in (column, sums, ideal)]

    assert results(n_rows=1) == results(n_rows=1_000_000)
