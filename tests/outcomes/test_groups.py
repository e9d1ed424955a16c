"""Comparisons within groups: groups divide the difference, restricted values by hand, and the p of equal differences."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from recsens.comparison.groups import Grouping
from recsens.files.scale import Scale
from recsens.metrics import parse_measured_at
from recsens.outcomes.groups import Group, compare_within, measure_restricted, p_equal
from recsens.outcomes.measuring.stored_rankings import RankedUsers, RatingRankings
from recsens.outcomes.paired import Paired
from recsens.plugins.specs import parse
from recsens.study import Study
from recsens.study.designs import expand


def drawn(seed: int, n_folds: int, n_users: int, *, weighted: bool) -> list[Paired]:
    """Draw users' values for two systems; each fold counts some of the users, the same for both systems."""
    rng = np.random.default_rng(seed)
    counts = rng.random((n_folds, n_users)) < 0.8
    counts[:, 0] = True
    weights = rng.integers(1, 5, (n_folds, n_users)).astype(float) * counts
    values = rng.random((n_folds, 2, n_users)) * counts[:, None]
    return [
        Paired(own, np.broadcast_to(mask, own.shape), each if weighted else None)
        for own, mask, each in zip(values, counts, weights, strict=True)
    ]


def total_and_mean(data: Paired) -> tuple[float, float]:
    counts = data.counts[0]
    weights = np.where(counts, 1.0 if data.weights is None else data.weights, 0.0)
    return weights.sum(), np.average(data.values[0] - data.values[1], weights=weights)


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(2, 4), st.booleans())
@settings(max_examples=60, deadline=None)
def test_the_weighted_mean_of_the_groups_differences_is_the_difference(seed: int, n_folds: int, n_groups: int, weighted: bool):
    folds = drawn(seed, n_folds, 30, weighted=weighted)
    # A user may be in another group on each fold, as with numbers of train ratings.
    group = np.random.default_rng(seed + 1).integers(0, n_groups, (n_folds, 30))
    parts = [Paired.over_folds(folds, list(group == each)) for each in range(n_groups)]
    found = [total_and_mean(part) for part in parts if part.counts[0].any()]
    totals, means = zip(*found, strict=True)
    assert np.average(means, weights=totals) == pytest.approx(total_and_mean(Paired.over_folds(folds))[1])


# One user, whose ranking of ten items has the test items 0 to 4 at places 1, 2, 4, 5 and 9; item 5 is not ranked.
PLACES, RATINGS, FILMS = [1, 2, 4, 5, 9, 0], [5, 1, 4, 5, 3, 4], [0, 1, 2, 3, 4, 5]


def ranked(n_users: int = 1) -> RankedUsers:
    counts = {name: np.full(n_users, 10) for name in ("train", "targets", "scored", "filled", "test")}
    user = np.repeat(np.arange(n_users), 6).astype(np.int32)
    position, rating, item = (np.tile(each, n_users) for each in (PLACES, RATINGS, FILMS))
    is_target = np.ones(len(user), dtype=np.bool_)
    scale = Scale()
    return RankedUsers(user, position, rating.astype(float), counts, scale, item=item.astype(np.int32), is_target=is_target)


def value(metric: str, view: str, items: list[int]) -> tuple[float, int]:
    [measured] = parse_measured_at(metric)
    chosen = np.isin(np.arange(6), items)
    values, counted = measure_restricted(ranked(), ranked().judged(view, 4.0), measured, chosen)
    return float(values[0, 0]), int(counted[0, 0])


@pytest.mark.parametrize(
    ("metric", "view", "items", "expected"),
    [
        # All items: relevant are 0, 2, 3 and, not ranked, 5.
        ("P@5", "full", [0, 1, 2, 3, 4, 5], 3 / 5),
        # Only item 2 is relevant, at place 4; the others keep their places.
        ("P@5", "full", [1, 2, 4], 1 / 5),
        ("R@5", "full", [2, 4, 5], 1 / 2),
        ("RR@10", "full", [2, 3], 1 / 4),
        ("nDCG@5", "full", [2, 3], (1 / np.log2(5) + 1 / np.log2(6)) / (1 + 1 / np.log2(3))),
        # In the condensed ranking 0, 1, 2, 3, 4, item 2 is third, whether or not the items above are in the group.
        ("RR@10", "condensed", [2, 3], 1 / 3),
        ("AP", "full", [2, 3], (1 / 4 + 2 / 5) / 2),
    ],
)
def test_only_the_items_of_a_group_count_and_all_keep_their_places(metric: str, view: str, items: list[int], expected: float):
    found, counted = value(metric, view, items)
    assert found == pytest.approx(expected)
    assert counted == 1


def test_a_user_without_a_relevant_item_of_the_group_is_left_out():
    assert value("P@5", "full", [1, 4])[1] == 0
    # For errors of predictions, any rated item is enough.
    [measured] = parse_measured_at("RMSE")
    scored = replace(ranked(), score=np.array([4.0, 3.0, 4.0, 5.0, 3.0, 2.0]))
    values, counted = measure_restricted(scored, scored.judged("full", 4.0), measured, np.isin(np.arange(6), [1, 4]))
    assert counted[0, 0] == 1
    assert values[0, 0] == pytest.approx(np.sqrt((2**2 + 0**2) / 2))


def test_hits_of_a_partition_of_items_add_up():
    parts = ([0, 5], [1, 2], [3, 4])
    assert sum(value("P@5", "full", part)[0] for part in parts) == pytest.approx(value("P@5", "full", [0, 1, 2, 3, 4, 5])[0])


def test_under_1r_the_rankings_of_the_groups_items_are_averaged():
    # User 0 has rankings of items 0, 1 and 2 at places 1, 2 and 4, and user 1 one of item 1 at place 5.
    of_rankings = RatingRankings(np.full(4, 10), np.zeros(4, dtype=np.int64), np.full(4, 10))
    counts = {name: np.full(2, 10) for name in ("train", "targets", "scored", "filled", "test")}
    columns = np.array([0, 0, 0, 1], dtype=np.int32), np.array([1, 2, 4, 5]), np.full(4, 5.0)
    rankings = RankedUsers(
        *columns, counts, Scale(), of_rankings, item=np.array([0, 1, 2, 1], dtype=np.int32), is_target=np.ones(4, dtype=np.bool_)
    )
    [measured] = parse_measured_at("RR@10")
    values, n = measure_restricted(rankings, rankings.judged("full", 4.0), measured, np.array([True, False, True]))
    assert values.tolist() == [[(1 + 1 / 4) / 2, 0]]
    assert n.tolist() == [[2, 0]]


def of_users(delta: np.ndarray, users: np.ndarray, n: int) -> Paired:
    values, counts = np.zeros((2, n)), np.zeros((2, n), dtype=np.bool_)
    values[0, users], counts[:, users] = delta, True
    return Paired(values, counts, None)


def test_two_groups_of_the_same_users_are_a_paired_t_test():
    rng = np.random.default_rng(0)
    first, second = rng.normal(0, 1, 25), rng.normal(0.4, 1, 25)
    everybody = np.arange(25)
    assert p_equal([of_users(each, everybody, 25) for each in (first, second)]) == pytest.approx(
        stats.ttest_rel(first, second).pvalue
    )


def test_two_groups_of_different_users_are_welchs_t():
    rng = np.random.default_rng(1)
    first, second = rng.normal(0, 1, 12), rng.normal(0.5, 2, 40)
    found = p_equal([of_users(first, np.arange(12), 52), of_users(second, np.arange(12, 52), 52)])
    assert found == pytest.approx(stats.ttest_ind(first, second, equal_var=False).pvalue)


def test_several_groups_of_the_same_users_are_hotellings_t_squared():
    rng = np.random.default_rng(2)
    d = rng.normal(0, 1, (3, 30)) + np.array([[0], [0.2], [0.5]])
    contrast = d[1:] - d[0]
    mean, covariance = contrast.mean(axis=1), np.cov(contrast)
    t2 = 30 * mean @ np.linalg.solve(covariance, mean)
    assert p_equal([of_users(each, np.arange(30), 30) for each in d]) == pytest.approx(stats.f.sf(t2 * 28 / (29 * 2), 2, 28))


def apart(groups: list[np.ndarray]) -> list[Paired]:
    """Return groups of different users."""
    ends = np.cumsum([0, *map(len, groups)])
    return [of_users(each, np.arange(*ends[nth : nth + 2]), ends[-1]) for nth, each in enumerate(groups)]


@pytest.mark.parametrize(
    ("sizes", "spreads"),
    [((15, 30, 60), (1, 1, 1)), ((10, 10, 10, 100), (3, 1, 0.5, 1)), ((10,) * 10, (1,) * 10), ((12, 200, 200), (3, 1, 1))],
)
def test_the_p_of_equal_differences_is_not_too_small(sizes: tuple[int, ...], spreads: tuple[float, ...]):
    rng = np.random.default_rng(3)
    draws = [[each * rng.normal(0, 1, n) for n, each in zip(sizes, spreads, strict=True)] for _ in range(1000)]
    # 5 % of 1,000 draws has a standard error of .7 %.
    assert 0.03 < np.mean([p_equal(apart(groups)) < 0.05 for groups in draws]) < 0.07


def test_the_p_of_equal_differences_is_not_too_small_for_users_in_several_groups():
    rng, low = np.random.default_rng(4), []
    for _ in range(1000):
        own = rng.normal(0, 1, 40)
        inside = rng.random((4, 40)) < np.array([[0.4], [0.6], [0.8], [1.0]])
        groups = [of_users((own + rng.normal(0, 1, 40))[each], np.flatnonzero(each), 40) for each in inside]
        low.append(p_equal(groups) < 0.05)
    assert 0.005 < np.mean(low) < 0.065


@pytest.mark.parametrize("n_tiny", [10, 12])
def test_a_tiny_group_does_not_hide_what_the_others_show(n_tiny: int):
    rng, n_large = np.random.default_rng(5), 9
    groups = [rng.normal(0.3 * (nth == 0), 1, 1000) for nth in range(n_large)]
    assert p_equal(apart([*groups, rng.normal(0, 1, n_tiny)])) < 1e-6
    # Nor do more groups than a tiny group has users, or a tiny group of users who are in the others too.
    many = [rng.normal(0.3 * (nth == 0), 1, 1000) for nth in range(n_tiny + 3)]
    assert p_equal(apart([*many, rng.normal(0, 1, n_tiny)])) < 1e-6
    same = [of_users(each, np.arange(1000), 1000) for each in groups]
    assert p_equal([*same, of_users(rng.normal(0, 1, n_tiny), np.arange(n_tiny), 1000)]) < 1e-6


def test_there_is_no_p_for_one_group_or_few_users():
    many, few = of_users(np.arange(20.0), np.arange(20), 40), of_users(np.arange(9.0), np.arange(20, 29), 40)
    assert np.isnan(p_equal([many]))
    assert np.isnan(p_equal([many, few]))
    equal = of_users(np.full(10, 0.1), np.arange(30, 40), 40)
    assert np.isnan(p_equal([equal, equal]))


def test_a_group_in_which_no_system_has_a_value_counts_nowhere():
    study = Study.model_validate(
        {"title": "t", "datasets": {"S": "simulated"}, "systems": {"Pop": "popularity", "kNN": "user_knn"}, "metrics": ["P@5"]}
    )
    rng = np.random.default_rng(6)
    first, second = (of_users(rng.normal(0.2, 1, 40), np.arange(40), 40) for _ in range(2))
    empty = of_users(np.zeros(40), np.arange(40), 40)
    spec, [measured] = parse("popularity(n=2)"), parse_measured_at("P@5")
    groups = [Group(Grouping.build(spec), spec, name, [np.ones(40, dtype=np.bool_)], [np.full(40, 3)]) for name in "abc"]
    design = expand(study, study.datasets)["S"][0]

    def rows(*data: Paired) -> list[dict[str, float]]:
        return [row for _, row in compare_within(study.own, measured.metric, groups[: len(data)], {("Pop", "kNN"): data}, design)]

    *told, last = rows(first, second, empty)
    assert (last["difference"], np.isnan(last["p_value"])) == (0, True)
    for row, alone in zip(told, rows(first, second), strict=True):
        assert {name: row[name] for name in ("p_value", "p_adjusted", "p_equal")} == {
            name: alone[name] for name in ("p_value", "p_adjusted", "p_equal")
        }


@pytest.mark.parametrize(("test", "winner"), [("t(log=true)", ""), ("t", "kNN")])
def test_value_and_test_must_favour_the_same_system(test: str, winner: str):
    systems = {"Pop": "popularity", "kNN": "user_knn"}
    keys = {"title": "t", "datasets": {"S": "simulated"}, "systems": systems, "metrics": ["P@5"], "design": {"test": test}}
    study = Study.model_validate(keys)
    # The second system has the better mean, .3 to .1, but the first the better mean logarithm.
    values = np.array([np.full(90, 0.1), np.repeat([0.0, 0.9], [60, 30])])
    data = Paired(values, np.ones((2, 90), dtype=np.bool_), None)
    spec, [measured] = parse("activity(n=2)"), parse_measured_at("P@5")
    group = Group(Grouping.build(spec), spec, "most active", [np.ones(90, dtype=np.bool_)], [np.full(90, 3)])
    pair = ("Pop", "kNN")
    [(_, row)] = compare_within(study.own, measured.metric, [group], {pair: [data]}, expand(study, study.datasets)["S"][0])
    assert row["p_adjusted"] < 0.05
    assert row["winner"] == winner
    logarithms = np.log(values + 0.01)
    assert row["difference"] == pytest.approx(np.diff(logarithms[::-1].mean(axis=1))[0] if "log" in test else -0.2)
    assert row["low"] < row["difference"] < row["high"]
