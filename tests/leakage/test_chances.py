"""P-values of the detectors equal an enumeration of all cases, and are rarely small in files without a fault."""

import itertools
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import coo_array

from files_without_leaks import N_ITEMS, N_USERS, Clean, Triples, clean
from recsens.runs.leakage._random_orders import RandomOrders
from recsens.runs.leakage._reading import CodedPairs
from recsens.runs.leakage._sizes import at_least, by_exchange, share_as_extreme
from recsens.runs.leakage.detectors import popularity
from recsens.runs.leakage.detectors.future import _chance_if_random
from recsens.runs.leakage.detectors.missing_users import _rank_sum_p
from recsens.runs.leakage.detectors.popularity import _within_neighbours
from recsens.runs.leakage.detectors.row_order import _disjoint, _if_common, _if_random, _tied, chance_if_common
from recsens.runs.leakage.detectors.unknown import _hits_by_shift, _permutation_p
from recsens.seeds import Stream

RNG = np.random.default_rng
STREAM = Stream.of(0, "test")


def error_of(p: float) -> float:
    """Return four standard errors of a p-value that ends at the 50th extreme draw, or after all draws."""
    return 4 * max(p / np.sqrt(50), np.sqrt(p / 1e5))


def share_below(level: float, chance: Callable[[np.random.Generator], float], n: int) -> float:
    return float(np.mean([chance(RNG(seed)) <= level for seed in range(n)]))


def test_drawing_ends_at_the_fiftieth_extreme_draw():
    every_fourth = lambda n: np.arange(n) % 4 == 3  # noqa: E731
    assert share_as_extreme(every_fourth, 1) == 50 / 200
    sizes: list[int] = []
    assert share_as_extreme(lambda n: sizes.append(n) or np.zeros(n, dtype=bool), 100) == 1e-5
    assert sum(sizes) == 99_999
    assert max(sizes) * 100 <= 2_000_000


@pytest.mark.parametrize("is_two_sided", [True, False])
def test_an_exchange_of_columns_equals_all_choices(is_two_sided):
    columns = RNG(1).exponential(size=(5, 4))
    columns[:, 0] = 2.5
    sums = np.array([sum(choice) for choice in itertools.product(*(columns - columns.mean(axis=1, keepdims=True)))])
    observed = (columns[:, 0] - columns.mean(axis=1)).sum()
    exact = float(np.mean((np.abs(sums) if is_two_sided else sums) >= observed - 1e-9))
    assert 0.001 < exact < 0.1
    assert by_exchange(columns, RNG(2), is_two_sided=is_two_sided) == pytest.approx(exact, abs=error_of(exact))


def test_an_exchange_is_seldom_small_for_few_and_skewed_values():
    """A user's relevant item is first among 30 equal scores with probability 1/30, as in a list with one tied place left."""
    assert share_below(0.05, lambda rng: by_exchange((rng.random((20, 41)) < 1 / 30).astype(float), rng), 600) <= 0.07
    assert share_below(0.01, lambda rng: by_exchange((rng.random((20, 41)) < 1 / 30).astype(float), rng), 600) <= 0.02


def test_equal_columns_are_no_evidence():
    assert by_exchange(np.full((3, 41), 0.1), RNG(0)) == 1.0


def test_missing_users_are_compared_with_all_subsets():
    trait, is_missing = np.array([1.0, 1, 1, 2, 3, 5, 8, 8, 9, 12]), np.arange(10) >= 7
    ranks = np.array([2.0, 2, 2, 4, 5, 6, 7.5, 7.5, 9, 10]) - 5.5
    sums = np.array([ranks[list(subset)].sum() for subset in itertools.combinations(range(10), 3)])
    exact = float(np.mean(np.abs(sums) >= abs(ranks[is_missing].sum()) - 1e-9))
    assert _rank_sum_p(trait, is_missing, RNG(0)) == pytest.approx(exact, abs=error_of(exact))


def test_one_missing_user_with_a_rare_trait_is_as_rare_as_the_trait():
    trait = np.where(np.arange(500) < 5, 2.0, 1.0)
    assert _rank_sum_p(trait, np.arange(500) == 0, RNG(0)) == pytest.approx(0.01, abs=0.005)


def test_many_different_ranks_are_binned():
    trait = RNG(0).random(5000)
    assert _rank_sum_p(trait, trait > 0.9, RNG(0)) == 1e-5
    assert _rank_sum_p(trait, RNG(1).random(5000) < 0.1, RNG(0)) > 0.01


def test_missing_users_that_are_nobody_or_everybody_are_no_evidence():
    assert _rank_sum_p(np.arange(5.0), np.zeros(5, dtype=bool), RNG(0)) == 1.0
    assert _rank_sum_p(np.arange(5.0), np.ones(5, dtype=bool), RNG(0)) == 1.0
    assert _rank_sum_p(np.zeros(5), np.arange(5) == 0, RNG(0)) == 1.0


def lists(matrix: np.ndarray) -> tuple[CodedPairs, CodedPairs]:
    """Return lists and relevant pairs in which users have item a in the list and like item b, as often as a matrix says."""
    a, b = (np.repeat(at, matrix[np.nonzero(matrix)]) for at in np.nonzero(matrix))
    users = np.arange(len(a))
    return CodedPairs(users, a, np.ones(len(a))), CodedPairs(users, b, np.ones(len(b)))


def test_unknown_items_are_compared_with_all_permutations():
    matrix = RNG(5).integers(0, 4, size=(6, 6)) + 3 * np.eye(6, dtype=int)
    matrix[2, 2] = 30
    sums = np.array([matrix[range(6), order].sum() for order in itertools.permutations(range(6))])
    exact = float(np.mean(sums >= np.trace(matrix)))
    assert _permutation_p(*lists(matrix), "item", STREAM) == pytest.approx(exact, abs=error_of(exact))


def test_one_dominating_unknown_item_is_no_evidence():
    matrix = np.diag([40, *[0] * 49]) + np.eye(50, k=1, dtype=int)
    assert _permutation_p(*lists(matrix), "item", STREAM) == pytest.approx(1 / 50, abs=error_of(1 / 50))


def test_blocks_of_unknown_users_are_shifted():
    """With one block, the columns are the sums of the cyclic diagonals of a random arrangement."""
    matrix = RNG(0).integers(0, 3, size=(70, 70))
    (sums,) = _hits_by_shift(coo_array(matrix), RNG(3))
    place = np.argsort(RNG(3).permutation(70))
    arranged = matrix[np.ix_(place, place)]
    np.testing.assert_array_equal(sums, [np.trace(np.roll(arranged, -shift, axis=1)) for shift in range(70)])
    assert _hits_by_shift(coo_array(np.eye(307, dtype=int)), RNG(0)).shape == (6, 51)


def test_many_unknown_items_are_found_and_clean_ones_are_not():
    n = 400
    assert _permutation_p(*lists(np.eye(n, dtype=int)), "item", STREAM) == 1e-5
    assert (
        share_below(0.05, lambda rng: _permutation_p(*lists(np.eye(n, dtype=int)[rng.permutation(n)]), "item", STREAM), 100) < 0.12
    )


def test_first_rows_are_compared_with_all_orders_that_are_not_sorted():
    value, is_target = np.array([1.0, 0, 0, 2, 2]), np.array([False, True, False, True, False])
    orders = np.array(list(itertools.permutations(range(5))))
    is_unsorted = (np.diff(value[orders], axis=1) > 0).any(axis=1)
    exact = is_target[orders[is_unsorted, 0]].mean()
    two_users = (np.repeat([0, 1], 5), np.tile(value, 2), np.tile(is_target, 2))
    assert _if_random(*two_users) == pytest.approx(2 * exact)


def test_users_with_short_lists_have_their_target_first_more_often():
    """Half of the users have two rows, the others 100: a chance per item alone would expect too few."""
    rng = RNG(0)
    user = np.concatenate([np.repeat(np.arange(200), 2), np.repeat(np.arange(200, 400), 100)])
    first = np.diff(user, prepend=-1) != 0
    is_target = np.zeros(len(user), dtype=bool)
    is_target[np.flatnonzero(first) + (rng.random(400) * np.bincount(user)).astype(int)] = True
    item, value = rng.integers(0, 150, len(user)), rng.random(len(user))
    assert _if_random(user, value, is_target) == pytest.approx(102, abs=12)
    assert _if_common(user, item, first, is_target) == pytest.approx(102, abs=25)


def test_a_bound_on_counts_holds_for_any_probabilities():
    for probabilities in ([0.01], [0.3, 0.001], [0.5, 0.4, 0.1, 0.02], [0.05] * 8):
        exact = np.array([1.0])
        for p in probabilities:
            exact = np.convolve(exact, [1 - p, p])
        for count in range(len(exact)):
            assert at_least(count, sum(probabilities)) >= exact[count:].sum() - 1e-12


def with_ties(
    rng: np.random.Generator, *, n_users: int = 150, n_items: int = 50, is_common: bool = False, is_liked_first: bool = False
) -> Clean:
    """Draw lists of nine items and a tied group of six, of which one popular item is relevant; names and rows are random."""
    names, popularity = rng.permutation(n_items), np.arange(1, n_items + 1) ** -1.5
    shared = rng.permutation(n_items)
    rows, liked = [], []
    for _ in range(n_users):
        drawn = rng.choice(n_items, 15, replace=False)
        tied = drawn[9:]
        target = rng.choice(tied, p=popularity[tied] / popularity[tied].sum())
        by = shared[tied] if is_common else popularity[tied] if is_liked_first else rng.random(6)
        rows.append(np.concatenate([drawn[:9], tied[np.argsort(-by)]]))
        liked.append(target)
    users = np.arange(n_users)
    run = Triples(np.repeat(users, 15), names[np.concatenate(rows)], np.tile([*range(20, 11, -1), *[1.0] * 6], n_users))
    train = Triples(users, np.full(n_users, n_items), np.ones(n_users))
    return Clean(train, Triples(users, names[np.array(liked)], np.ones(n_users)), run, np.empty(0))


def chances_of(files: Clean) -> tuple[float, float, float]:
    """Return the p-values of the rows, if random for each user and if common, and of the names."""
    material = files.material()
    run = material.runs[0]
    orders = RandomOrders.of(material, run)
    by_rows = material.measured(material.within_reach(run.pairs), material.test, ties="given")
    common = [chance_if_common(material, run, orders.spread, is_named=is_named) for is_named in (False, True)]
    return (orders.chance(by_rows), *common)


def test_an_order_by_popularity_is_found_whatever_is_assumed():
    by_user, if_common, _ = chances_of(with_ties(RNG(0), n_users=300, n_items=150, is_liked_first=True))
    assert by_user == 1e-5
    assert if_common < 1e-4


def test_a_random_order_that_users_share_is_accused_only_if_taken_for_each_users_own():
    chances = np.array([chances_of(with_ties(RNG(seed), is_common=True)) for seed in range(8)])
    assert chances[:, 0].min() < 0.01
    assert (chances[:, 1:] > 0.001).all()


def test_names_that_follow_popularity_are_found():
    files = with_ties(RNG(0))
    by_popularity = np.argsort(np.argsort(np.bincount(files.test.item, minlength=50), kind="stable"), kind="stable")
    names = np.append(by_popularity + 10, 99)
    named = replace(
        files, **{part: replace(getattr(files, part), item=names[getattr(files, part).item]) for part in ("train", "test", "run")}
    )
    assert chances_of(named)[2] < 1e-3
    assert chances_of(files)[2] > 0.01


def test_pairs_are_those_of_one_users_equal_scores():
    rows = CodedPairs(np.array([0, 0, 0, 0, 1, 1]), np.array([3, 1, 4, 2, 3, 1]), np.array([5.0, 5, 5, 1, 5, 5]))
    relevant, other = _tied(rows, np.array([True, False, False, True, False, True]), RNG(0))
    assert set(zip(relevant.tolist(), other.tolist(), strict=True)) == {(0, 1), (0, 2), (5, 4)}


def test_the_heaviest_pairs_without_a_common_item_are_chosen():
    first, second, weight = np.array([0, 1, 2, 4, 0]), np.array([1, 2, 3, 5, 3]), np.array([3.0, 5, 4, 1, 2])
    assert _disjoint(first, second, weight).tolist() == [1, 4, 3]


def test_clean_files_have_valid_chances():
    files = clean()
    place = np.arange(len(files.run.user)) - np.searchsorted(files.run.user, files.run.user)
    shuffled = RNG(3).permutation(len(place))
    run = replace(files.run, value=-(place // 5).astype(float)).kept(shuffled)
    assert min(chances_of(replace(files, run=run))) > 0.01


def chance_of_times(train: Triples, test: Triples) -> float:
    material = Clean(train, test, replace(test, time=None), np.empty(0)).material()
    return _chance_if_random(material, material.train.time, material.test.time)


def test_ten_users_whose_only_test_rating_is_newer():
    """Places are 1/4 and -1/4, so the sum is 10/4 with a variance of 10/16: 3.16 standard errors. The smaller p of two counts.

    The squares of the places do not vary. The shares in test are all 1/2, so they follow no time.
    """
    users, ones = np.arange(10), np.ones(10)
    train, test = Triples(users, users, ones, users), Triples(users, users + 10, ones, users + 100)
    assert chance_of_times(train, test) == pytest.approx(2 * math.erfc(np.sqrt(10 / 2)))
    nine = np.arange(9)
    assert math.isnan(chance_of_times(train.kept(nine), test.kept(nine)))
    at_once = replace(test, time=train.time)
    assert math.isnan(chance_of_times(train, at_once))


@pytest.mark.parametrize("way", ["a fifth of all", "one of each user", "a third of each user"])
def test_random_splits_seldom_look_ordered_in_time(way):
    """Users with many ratings come early, so that shares that depend on the number of ratings depend on time, too."""

    def chance(rng: np.random.Generator) -> float:
        n = rng.geometric(1 / 15, 60) + 1
        user = np.repeat(np.arange(60), n)
        drawn = rng.random(len(user))
        place = np.argsort(np.lexsort((drawn, user))) - (np.cumsum(n) - n)[user]
        is_test = {"a fifth of all": drawn < 0.2, "one of each user": place == 0, "a third of each user": 3 * place < n[user]}[way]
        rows = Triples(user, np.arange(len(user)), np.ones(len(user)), rng.integers(0, 50, len(user)) - 5 * n[user])
        return chance_of_times(rows.kept(~is_test), rows.kept(is_test))

    assert share_below(0.05, chance, 100) <= 0.12


def test_what_train_says_besides_popularity_is_not_held_against_lists():
    """A model that uses who rated an item knows more of its test count than the train count tells."""
    rng = RNG(0)
    known = rng.random((400, 3))
    in_train, better = rng.integers(5, 50, 400), known @ [1.0, 2, -1]
    listed, excess = better + 0.3 * rng.random(400), better + rng.random(400)
    nothing = np.zeros((400, 3))
    assert _within_neighbours(in_train, listed, excess, nothing) > 8
    assert abs(_within_neighbours(in_train, listed, excess, known)) < 2.5
    assert _within_neighbours(in_train, listed + excess, excess, known) > 8


@pytest.mark.slow
def test_neighbours_of_users_are_seldom_held_to_know_popularity_in_test():
    """User neighbours know from who rated an item how many more will, and have no other knowledge of the test set."""

    def chance(rng: np.random.Generator) -> float:
        files = clean(int(rng.integers(2**31)))
        rated = np.zeros((N_USERS, N_ITEMS))
        rated[files.train.user, files.train.item] = 1
        likeness = rated @ rated.T / np.sqrt(np.outer(rated.sum(axis=1), rated.sum(axis=1)) + 1e-9)
        np.fill_diagonal(likeness, 0)
        nearest = np.where(likeness >= np.sort(likeness, axis=1)[:, [-30]], likeness, 0)
        [found] = popularity.look(files.with_lists(nearest @ rated).material())
        return 1.0 if found.chance is None else found.chance

    assert share_below(0.05, chance, 100) <= 0.1
