"""Lists with unrated items: against every completion, random completions, roots found in another way, and draws."""

from itertools import product

import numpy as np
import pytest
from scipy import optimize, stats

from recsens.data.datasets import DataSet, to_interactions
from recsens.data.splitting.random import Random
from recsens.files.scale import Scale
from recsens.metrics import Judged, parse_measured_at
from recsens.outcomes.completions import Completions, OpenLists, Rates, expected_values, powers
from recsens.outcomes.paired import Paired
from recsens.outcomes.shared_panels import UserRows
from recsens.outcomes.tipping import OpenComparison, coverage_factor
from recsens.plugins import build
from recsens.ranking import rank
from recsens.ranking.nc.drop import Drop
from recsens.ranking.targets.all_relevant import AR
from recsens.seeds import Stream
from recsens.study.margin import Margin
from recsens.vocabulary import Role

METRICS = (
    *("P@6", "R@6", "F1@6", "Success@6", "RR@6", "ARHR@6", "ERR@6", "ERR(gain=binary)@6", "DCG(gain=exp)@6"),
    *("nDCG@6", "nDCG(gain=linear,ideal=uncut)@6", "AP@6", "AP(denominator=min)@6", "AP(denominator=shown)@6", "RBP@6"),
)
LOOSE = {"ERR@6", "AP@6", "AP(denominator=min)@6", "AP(denominator=shown)@6"}
"""Metrics whose bounds hold but are not always reached."""


def judged_lists(n_users, seed, n_items=14, skill=0.0):
    """Draw two lists of six items a user, and ratings of some items; with ``skill``, the first list prefers what is liked."""
    rng = np.random.default_rng(seed)
    rating = rng.integers(1, 6, (n_users, n_items)).astype(float)
    rating[rng.random((n_users, n_items)) < 0.6] = np.nan
    orders = [np.argsort(-(rng.random(rating.shape) + each * (np.nan_to_num(rating) >= 4)), axis=1)[:, :6] for each in (skill, 0)]
    user, item = np.nonzero(~np.isnan(rating))
    judged = []
    for order in orders:
        found = order[user] == item[:, np.newaxis]
        position = np.where(found.any(axis=1), found.argmax(axis=1) + 1, 0)
        judged.append(
            Judged.of(
                user=user.astype(np.int32),
                position=position,
                rating=rating[user, item],
                targets_ranked=np.full(n_users, 6),
                view="full",
                scale=Scale(1, 5, 1),
                relevance=4.0,
            )
        )
    return orders, judged


def open_lists(metric, n_users, seed, **changes):
    """Draw two lists a user, as `judged_lists`, and return them with their values as measured."""
    measured, lists = parse_measured_at(metric)[0], []
    orders, judged = judged_lists(n_users, seed, **changes)
    for order, own in zip(orders, judged, strict=True):
        by_place = measured.metric.by_place(own, 6)
        starts = np.arange(n_users + 1) * 6
        lists.append(OpenLists.of(own, by_place.gain, order.ravel().astype(np.int32), starts, 6))
    measures = [measured.metric.measure(each, (6,))[:, 0] for each in judged]
    return Completions(by_place, *lists), measures


def value(rule, weight, gain):
    """Write a rule out, place by place."""
    total, reached, above = 0.0, 1.0, 0.0
    for w, g in zip(weight, gain, strict=True):
        total += w * g * {"sum": 1.0, "stop": reached, "precision": 1.0 + above}[rule]
        reached, above = reached * (1 - g), above + g
    return total


def unrated_of(completions, user):
    """List a user's unrated items, each with its kind: only a, only b, or both."""
    sides = [set(each.item[user][each.is_unrated[user]].tolist()) for each in (completions.a, completions.b)]
    return {item: 2 if item in sides[0] & sides[1] else int(item in sides[1]) for item in sorted(sides[0] | sides[1])}


def difference(completions, user, gains):
    """Return one user's difference if unrated items have some gains."""
    values = []
    for each in (completions.a, completions.b):
        filled = zip(each.gain[user], each.is_unrated[user], each.item[user], strict=True)
        own = [gains[int(item)] if unrated else gain for gain, unrated, item in filled]
        values.append(value(completions.by_place.rule, completions.by_place.weight, own))
    return (values[0] - values[1]) * completions.by_place.scale[user]


@pytest.mark.parametrize("metric", METRICS)
def test_the_values_of_one_list_are_those_of_a_pair_and_of_every_completion(metric):
    completions, [measures, _] = open_lists(metric, 60, seed=5)
    _, [judged, _] = judged_lists(60, seed=5)
    [asked] = parse_measured_at(metric)
    rate, all_relevant = (expected_values(asked.metric, judged, (6,), each)[:, 0] for each in (0.05, 1.0))
    assert np.array_equal(rate, completions.expected(Rates(0.05, 0.05, 0.05))[0])
    assert np.array_equal(all_relevant, completions.ends()[0, 1])
    is_above = metric.startswith(("R@", "F1", "DCG", "nDCG", "AP", "ARHR")) and "shown" not in metric
    assert (all_relevant.max() > 1) == is_above
    # A user's value does not depend on who else is measured.
    few = judged.of_users(np.arange(60) < 7)
    assert np.array_equal(expected_values(asked.metric, few, (6,), 0.05)[:, 0], rate[:7])
    rule, weight, highest = (getattr(completions.by_place, name) for name in ("rule", "weight", "highest"))
    for user, scale in enumerate(completions.by_place.scale):
        gain, places = completions.a.gain[user], np.flatnonzero(completions.a.is_unrated[user])
        values, chances = [], []
        for drawn in product((0, 1), repeat=len(places)):
            own = gain.copy()
            own[places] = highest * np.array(drawn)
            values.append(value(rule, weight, own) * scale)
            chances.append(0.05 ** sum(drawn) * 0.95 ** (len(places) - sum(drawn)))
        assert rate[user] == pytest.approx(np.dot(values, chances), abs=1e-14)
        assert all_relevant[user] == pytest.approx(max(values), abs=1e-14)
        assert measures[user] == pytest.approx(min(values), abs=1e-14)


def variances(completions, rates):
    """Return each user's variance over draws."""
    return np.array([completions.variance(alone)(rates) for alone in np.eye(len(completions.a.gain))])


def compared(completions, alpha=0.05, margin=0.0):
    n_users = len(completions.a.gain)
    paired = Paired(np.zeros((2, n_users)), np.ones((2, n_users), dtype=bool), None)
    return OpenComparison([completions], [UserRows()], [paired], alpha, Margin(margin), 0.95)


@pytest.mark.parametrize("metric", METRICS)
def test_bounds_means_and_variances_equal_every_completion(metric):
    completions, measures = open_lists(metric, 12, seed=3)
    rates = Rates(0.3, 0.6, 0.2)
    bounds, mean, variance = completions.bounds(), completions.expected(rates), variances(completions, rates)
    assert completions.expected(Rates(0, 0, 0)) == pytest.approx(np.stack(measures), abs=1e-12)
    if completions.is_polynomial:
        by_terms = [own @ terms for own, terms in zip(powers(rates), completions.terms, strict=True)]
        assert np.stack(by_terms) == pytest.approx(mean, abs=1e-12)
    for user in range(12):
        kinds = unrated_of(completions, user)
        assert len(kinds) <= 12
        found, chances = [], []
        for drawn in product((0, 1), repeat=len(kinds)):
            gains = {item: completions.by_place.highest * z for item, z in zip(kinds, drawn, strict=True)}
            found.append(difference(completions, user, gains))
            chances.append(np.prod([rates[kind] if z else 1 - rates[kind] for kind, z in zip(kinds.values(), drawn, strict=True)]))
        found, chances = np.array(found), np.array(chances)
        assert mean[0, user] - mean[1, user] == pytest.approx(chances @ found, abs=1e-12)
        assert variance[user] == pytest.approx(chances @ found**2 - (chances @ found) ** 2, abs=1e-12)
        assert bounds.low[user] <= found.min() + 1e-12
        assert bounds.high[user] >= found.max() - 1e-12
        # What is printed as looseness is never too small.
        assert bounds.inside_low[user] >= found.min() - 1e-12
        assert bounds.inside_high[user] <= found.max() + 1e-12
        if metric not in LOOSE:
            assert (bounds.low[user], bounds.high[user]) == pytest.approx((found.min(), found.max()), abs=1e-12)


@pytest.mark.parametrize("metric", METRICS)
def test_bounds_contain_ten_thousand_random_completions(metric):
    completions, _ = open_lists(metric, 500, seed=5)
    bounds, rng = completions.bounds(), np.random.default_rng(0)
    for _ in range(20):
        relevant = rng.random((500, 14)) < rng.random()
        gains = []
        for each in (completions.a, completions.b):
            drawn = np.take_along_axis(relevant, each.item.astype(int), axis=1) * completions.by_place.highest
            gains.append(np.where(each.is_unrated, drawn, each.gain))
        rule, weight = completions.by_place.rule, completions.by_place.weight
        own = np.array([value(rule, weight, a) - value(rule, weight, b) for a, b in zip(*gains, strict=True)])
        own *= completions.by_place.scale
        assert (own >= bounds.low - 1e-12).all()
        assert (own <= bounds.high + 1e-12).all()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("metric", ["P@6", "RR@6", "Success@6", "nDCG@6", "AP@6"])
def test_tipping_rates_and_ratios_equal_roots_of_the_written_equations(metric, seed):
    completions, _ = open_lists(metric, 60, seed=seed, skill=0.4)
    found = compared(completions)
    kinds, variance = [unrated_of(completions, user) for user in range(60)], completions.variance(np.ones(60))

    def mean(a, b, both):
        return np.mean(
            [difference(completions, user, {i: (a, b, both)[kind] for i, kind in own.items()}) for user, own in enumerate(kinds)]
        )

    def slack(a, b, both):
        each = [difference(completions, user, {i: (a, b, both)[kind] for i, kind in own.items()}) for user, own in enumerate(kinds)]
        # The variance of draws, by the kernels that enumeration checks.
        squared = np.var(each, ddof=1) + variance(Rates(a, b, both)) / 60
        return np.mean(each) - stats.t.ppf(0.975, 59) * np.sqrt(squared / 60)

    assert found.leader == 1
    assert found.is_significant == (slack(0, 0, 0) > 0)
    ratio = found.ratios(0.05)
    for function, root in ((mean, ratio.level), (slack, ratio.lost)):
        if np.isnan(root):
            continue
        if np.isinf(root):
            assert function(0.05, 1.0, 0.05) > 0
            continue
        ends = [(0.05, b, 0.05) for b in (0.0, 1.0)]
        other = optimize.bisect(lambda b, function=function: function(0.05, b, 0.05), ends[0][1], ends[1][1], xtol=1e-13)
        assert root * 0.05 == pytest.approx(other, abs=1e-9)
    for function, root in zip((mean, slack), found.rates(), strict=True):
        if np.isfinite(root):
            assert function(root, root, root) == pytest.approx(0, abs=1e-9)
            assert function(root - 0.01, root - 0.01, root - 0.01) > 0


def real_lists(spec, path, metric, scale):
    """Rank the test items of a real data set by popularity and by item kNN."""
    data = to_interactions(DataSet.build(spec.format(path=path)).load([path], Stream.of(0, "ingest")))
    roles = Random(ratio=0.8).roles(data, 0, Stream.of(0, "split"))
    train, test = data.take(roles == Role.TRAIN), data.take(roles == Role.TEST)
    measured, found = parse_measured_at(metric)[0], []
    streams = {"tie_stream": Stream.of(1, "ties"), "target_stream": Stream.of(1, "targets")}
    for system in ("item_knn(k=20)", "popularity"):
        model = build("recommender", system).fit(train, Stream.of(1, "fit").generator())
        ranked = rank(
            model, train, test, targets=AR(), relevance=4, nc=Drop(), fallback=None, ties="random", list_depth=10, **streams
        )
        at, lists = ranked.positions, ranked.lists
        position, rating = at["position"].filled(0).astype(np.int64), at["rating"].filled(np.nan)
        of = {"user": at["user"], "position": position, "rating": rating, "targets_ranked": ranked.users["scored"]}
        judged = Judged.of(**of, view="full", scale=scale, relevance=4.0)
        by_place = measured.metric.by_place(judged, 10)
        starts = np.concatenate([[0], np.cumsum(np.bincount(lists["user"], minlength=train.n_users))])
        found.append(OpenLists.of(judged, by_place.gain, lists["item"], starts, 10))
    return Completions(by_place, *found)


REAL = {
    "ml-100k/u.data": ("movielens(release=100k)", Scale(1, 5, 1)),
    "filmtrust/ratings.txt": (
        'delimited(path="{path}",separator=" ",lowest=0.5,highest=4,step=0.5,duplicates=last)',
        Scale(0.5, 4, 0.5),
    ),
    "ml-latest-small/ratings.csv": ("movielens(release=latest-small)", Scale(0.5, 5, 0.5)),
}


@pytest.mark.slow
@pytest.mark.parametrize("file", REAL)
@pytest.mark.parametrize("metric", ["P@10", "RR@10", "nDCG@10", "AP@10"])
def test_on_real_data_too(metric, file, real_data):
    spec, scale = REAL[file]
    completions = real_lists(spec, real_data(file), metric, scale)
    found, variance = compared(completions), completions.variance(np.ones(len(completions.a.gain)))
    sides, n = (completions.a, completions.b), len(completions.a.gain)
    own = [[set(row[unrated]) for row, unrated in zip(each.item, each.is_unrated, strict=True)] for each in sides]
    both = [
        np.array([[item in others[user] for item in row] for user, row in enumerate(each.item)])
        for each, others in zip(sides, own[::-1], strict=True)
    ]

    def differences(other, rate):
        rates = [rate, other] if found.leader > 0 else [other, rate]
        values = []
        for each, shared, alone in zip(sides, both, rates, strict=True):
            expected = np.where(each.is_unrated, completions.by_place.highest * np.where(shared, rate, alone), each.gain)
            rule, weight = completions.by_place.rule, completions.by_place.weight
            values.append(np.asarray(value(rule, weight, expected.T)) * completions.by_place.scale)
        rates = Rates(*rates, rate)
        return found.leader * (values[0] - values[1]), variance(rates) / n

    def lead(other, rate):
        return differences(other, rate)[0].mean()

    def slack(other, rate):
        each, of_draws = differences(other, rate)
        return each.mean() - stats.t.ppf(0.975, n - 1) * np.sqrt((each.var(ddof=1) + of_draws) / n)

    assert found.is_significant == (slack(0, 0) > 0)
    for function, ratio in zip((lead, slack), found.ratios(0.05), strict=True):
        if np.isnan(ratio):
            assert not found.is_significant
            continue
        ends = [function(other, 0.05) for other in (0, 1)]
        other = (
            optimize.bisect(lambda x, function=function: function(x, 0.05), 0, 1, xtol=1e-13) if ends[1] < 0 < ends[0] else np.inf
        )
        assert ratio * 0.05 == pytest.approx(0.0 if ends[0] <= 0 else other, abs=1e-9)
    for function, rate in zip((lead, slack), found.rates(), strict=True):
        if np.isfinite(rate):
            assert function(rate, rate) == pytest.approx(0, abs=1e-11)


@pytest.mark.parametrize("metric", ["P@6", "RR@6", "AP@6", "ERR@6"])
def test_draws_at_the_tipping_rates_level_the_lead_and_lose_half_of_the_wins(metric):
    completions, _ = open_lists(metric, 400, seed=1, skill=0.25)
    found, rng = compared(completions), np.random.default_rng(7)
    assert found.is_significant
    ratio = found.ratios(0.05)
    means, is_lost = {}, {}
    for name, root in zip(("level", "lost"), ratio, strict=True):
        assert np.isfinite(root)
        rates = np.array([0.05, 0.05 * root, 0.05])
        kind = np.zeros((400, 14), dtype=int)
        for user in range(400):
            for item, own in unrated_of(completions, user).items():
                kind[user, item] = own
        drawn = []
        for _ in range(10):
            relevant = rng.random((1000, 400, 14)) < rates[kind]
            values = []
            for each in (completions.a, completions.b):
                own = np.take_along_axis(relevant, np.broadcast_to(each.item.astype(int), (1000, 400, 6)), axis=2)
                gain = np.where(each.is_unrated, own * completions.by_place.highest, each.gain)
                rule, weight = completions.by_place.rule, completions.by_place.weight
                values.append(np.asarray(value(rule, weight, np.moveaxis(gain, 2, 0))) * completions.by_place.scale)
            drawn.append(values[0] - values[1])
        each = np.concatenate(drawn)
        t = each.mean(axis=1) / (each.std(axis=1, ddof=1) / 20)
        means[name], is_lost[name] = each.mean(axis=1), t < stats.t.ppf(0.975, 399)
    assert abs(means["level"].mean()) < 3 * means["level"].std() / 100
    assert is_lost["lost"].mean() > 0.5 - 3 * 0.005
    assert is_lost["lost"].mean() < 0.55
    assert is_lost["level"].mean() > 0.9


def test_the_factor_of_imbens_and_manski_goes_from_two_sides_to_one():
    assert coverage_factor(0.0, 1.0, 0.95) == pytest.approx(stats.norm.ppf(0.975))
    assert coverage_factor(100.0, 1.0, 0.95) == pytest.approx(stats.norm.ppf(0.95))
    c = coverage_factor(1.3, 1.0, 0.95)
    assert stats.norm.cdf(c + 1.3) - stats.norm.cdf(-c) == pytest.approx(0.95, abs=1e-12)


def test_a_margin_is_lost_before_the_lead():
    completions, _ = open_lists("P@6", 400, seed=1, skill=0.25)
    plain, wide = compared(completions).ratios(0.05), compared(completions, margin=0.005).ratios(0.05)
    assert wide.level == plain.level
    assert 0 < wide.lost < plain.lost < plain.level
