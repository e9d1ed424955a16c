"""Rows of a run that favour relevant items: the order of equal scores, a target first among candidates, candidates ranked twice."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from recsens.runs.leakage._material import Material, SearchedRun, share
from recsens.runs.leakage._random_orders import DRAWS, RandomOrders, in_order
from recsens.runs.leakage._reading import CodedPairs, keys
from recsens.runs.leakage._sizes import NORMAL, UNKNOWN, Inflation, UserValues, at_least, by_exchange
from recsens.runs.leakage.suspicion import Suspicion

_MOST_PAIRS = 2_000_000
"""Largest number of pairs of rows; if there are more, some relevant rows are drawn at random."""

_MOST_TESTED = 500
"""Largest number of pairs of items that are tested."""


def chance_if_common(material: Material, run: SearchedRun, spread: NDArray[np.float64], *, is_named: bool) -> float:
    """Return the p-value of the order of names, or of rows, if it is a random order of the items that all users share.

    A relevant and an irrelevant item with equal scores form a pair. The statistic is a weighted sum over pairs: positive if the
    relevant item comes first, otherwise negative. A pair's weight is the user's ``spread``, by which the order can change the
    user's value, divided by the number of the user's pairs. In a random order, each of two items comes first with probability 1/2,
    independently for pairs that share no item. So the test uses only such pairs of items, and draws the signs of their sums over
    users. Pairs of items with large sums are used first.
    """
    rows = material.within_reach(run.pairs.kept(spread[run.pairs.user] > 0))
    rng = material.stream.child("common", run.name).generator()
    relevant, other = _tied(rows, material.hits(rows), rng)
    if not len(relevant):
        return 1.0
    user, a, b = rows.user[relevant], rows.item[relevant], rows.item[other]
    weight = (spread / np.maximum(np.bincount(user, minlength=len(spread)), 1))[user]
    place = -material.name_order[rows.item] if is_named else np.arange(len(rows))
    pairs, code = np.unique(np.minimum(a, b) * material.n_items + np.maximum(a, b), return_inverse=True)
    moved = np.bincount(code, weights=weight * np.sign(place[other] - place[relevant]))
    largest = np.abs(np.bincount(code, weights=weight * np.sign(b - a)))
    sums = moved[_disjoint(*np.divmod(pairs, material.n_items), largest)[:_MOST_TESTED]]
    return by_exchange(np.column_stack([sums, -sums]), rng)


def _tied(
    rows: CodedPairs, is_relevant: NDArray[np.bool_], rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the row numbers of pairs of a relevant and an irrelevant row of the same user with equal scores."""
    order = np.lexsort((-rows.value, rows.user))
    is_new = (np.diff(rows.user[order], prepend=-1) != 0) | (np.diff(rows.value[order], prepend=np.nan) != 0)
    group = np.empty(len(order), dtype=np.int64)
    group[order] = np.cumsum(is_new) - 1
    relevant, others = rng.permutation(np.flatnonzero(is_relevant)), order[~is_relevant[order]]
    n_others = np.bincount(group[others], minlength=len(order))
    relevant = relevant[np.cumsum(n_others[group[relevant]]) <= _MOST_PAIRS]
    n = n_others[group[relevant]]
    first = (np.cumsum(n_others) - n_others)[group[relevant]] - (np.cumsum(n) - n)
    return np.repeat(relevant, n), others[np.arange(n.sum()) + np.repeat(first, n)]


def _disjoint(first: NDArray[np.int64], second: NDArray[np.int64], weight: NDArray[np.float64]) -> NDArray[np.int64]:
    """Choose pairs in descending order of weight, without any item twice; return their numbers in this order."""
    order = np.argsort(-weight, kind="stable")
    first, second, left, chosen = first[order], second[order], np.arange(len(order)), np.zeros(len(order), dtype=np.bool_)
    n_items = int(max(first.max(), second.max())) + 1
    while len(left):
        # A pair is chosen if none before it has one of its items; then all pairs with these items are dropped.
        earliest, is_used = np.full(n_items, len(order)), np.zeros(n_items, dtype=np.bool_)
        for items in (first[left], second[left]):
            np.minimum.at(earliest, items, left)
        now = left[(earliest[first[left]] == left) & (earliest[second[left]] == left)]
        chosen[now], is_used[first[now]], is_used[second[now]] = True, True, True
        left = left[~(is_used[first[left]] | is_used[second[left]])]
    return order[chosen]


TIED_ORDER = "order of equal scores"

_ROWS, _BY_NAME = "rows", "item name, descending"

_LEVEL = 0.001
"""The order of names can be reported instead of the order of rows only if its chance is at most this."""

_AGREE, _LEAST_MET = 0.6, 30
"""Rows may follow a common order if at least this share of repeated neighbours have the same order, or if too few are repeated."""


def tied_order(material: Material) -> Iterator[Suspicion]:
    """Compare the order of names and the order of rows with random orders of equal scores.

    The size is measured for the order of rows, which the file has. It is measured for the order of names only if there is evidence
    against that order, and more evidence than against the order of rows. If two orders are harmless, the size of the more extreme
    one would be overstated.
    """
    for run in material.runs:
        orders = RandomOrders.of(material, run)
        if orders is None:
            yield Suspicion(TIED_ORDER, run.name, "none", f"the order of equal scores changes no value of {material.label}")
            continue
        by_rows = material.measured(material.within_reach(run.pairs), material.test, ties="given")
        means = {_BY_NAME: material.given(run).mean, _ROWS: by_rows.mean}
        chances = _chances(material, run, orders, by_rows)
        order = _BY_NAME if chances[_BY_NAME] < min(chances[_ROWS], _LEVEL) else _ROWS
        written = "; ".join(f"{mean:.4f} in the order of {each}" for each, mean in means.items())
        n, n_rising = _rising(material, run)
        yield Suspicion(
            *(TIED_ORDER, run.name, "none"),
            f"{written}; {orders.means.mean():.4f} under {DRAWS} random orders; of {n:,} neighbours with equal scores, "
            f"{n_rising:,} are in ascending order of their names",
            inflation=orders.inflation(means[order]),
            chance=min(1.0, len(chances) * min(chances.values())),
            innocent="names or rows follow popularity or age, as item numbers do in many data sets",
            remedy="break ties at random, or print the range of values: recsens evaluate",
        )


def _chances(material: Material, run: SearchedRun, orders: RandomOrders, by_rows: UserValues) -> dict[str, float]:
    """Return the p-values of the order of names and of the order of rows.

    The order of names is compared with random orders that all users share. The order of rows is compared with random orders for
    each user. If rows may follow an order that all users share, such as popularity, the order of rows is compared with both kinds,
    and the larger p-value counts.
    """
    of_rows = orders.chance(by_rows)
    if is_common_order(run, material.n_items):
        of_rows = max(of_rows, chance_if_common(material, run, orders.spread, is_named=False))
    return {_BY_NAME: chance_if_common(material, run, orders.spread, is_named=True), _ROWS: of_rows}


def is_common_order(run: SearchedRun, n_items: int) -> bool:
    """Whether neighbours with equal scores have the same order for many users, or the same neighbours occur too rarely to judge."""
    pairs = run.pairs
    tied = (np.diff(pairs.user) == 0) & (np.diff(pairs.value) == 0)
    before, after = pairs.item[:-1][tied], pairs.item[1:][tied]
    met = np.minimum(before, after) * n_items + np.maximum(before, after)
    _, code, n = np.unique(met, return_inverse=True, return_counts=True)
    n_rising = np.bincount(code.ravel(), weights=before < after, minlength=len(n))
    twice = (n * (n - 1)).sum()
    alike = (n_rising * (n_rising - 1) + (n - n_rising) * (n - n_rising - 1)).sum()
    return bool(twice < _LEAST_MET or alike >= _AGREE * twice)


def _rising(material: Material, run: SearchedRun) -> tuple[int, int]:
    """Count users' neighbouring rows with equal scores, and those with ascending names; numbers compare as numbers."""
    pairs = run.pairs
    tied = (np.diff(pairs.user) == 0) & (np.diff(pairs.value) == 0)
    rank = np.argsort(sorted(range(material.n_items), key=lambda item: _sort_key(material.items[item])))
    return int(tied.sum()), int((tied & (np.diff(rank[pairs.item]) > 0)).sum())


def _sort_key(name: str) -> tuple[float, str]:
    return (float(name), "") if name.isdecimal() else (math.inf, name)


TARGET_FIRST = "target first among candidates"


def target_first(material: Material) -> Iterator[Suspicion]:
    """Compare the number of users with a relevant item in the first row with the number expected in files without the fault.

    It is expected either that rows are in random order, or that they are in an order that all users share, such as popularity. The
    larger of the two numbers counts.
    """
    for run in material.runs:
        rows, first, is_target = _unsorted(material, run)
        if not is_target.any():
            said = "every user's rows are sorted by score, so their order shows nothing more"
            yield Suspicion(TARGET_FIRST, run.name, "not told", said if not len(rows) else "no list has a relevant item")
            continue
        n_users, n_first = len(np.unique(rows.user)), int((first & is_target).sum())
        expected = _expected(rows, first, is_target)
        orders = RandomOrders.of(material, run)
        given = material.measured(run.pairs, material.test, ties="given").mean if orders else material.given(run).mean
        moved = f"{given:.4f} with equal scores in the order of rows" if orders else "no value depends on the order of equal scores"
        yield Suspicion(
            *(TARGET_FIRST, run.name, "none"),
            f"for {n_first:,} of {n_users:,} users, the first row is a relevant item (expected: {expected:.1f}); {moved}",
            inflation=orders.inflation(given) if orders else Inflation.exactly(0.0),
            chance=at_least(n_first, expected),
            innocent="candidates written in a fixed order, with scores that are never equal",
            remedy="shuffle the candidates before scoring, and break ties at random",
        )


def _unsorted(material: Material, run: SearchedRun) -> tuple[CodedPairs, NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the rows of users whose rows are not sorted by score.

    Also return whether each row is its user's first, and whether its item is relevant.
    """
    order = np.argsort(run.pairs.user, kind="stable")
    pairs = run.pairs.kept(order)
    rises = (np.diff(pairs.value) > 0) & (np.diff(pairs.user) == 0)
    rows = pairs.kept(np.isin(pairs.user, pairs.user[1:][rises]))
    return rows, np.diff(rows.user, prepend=-1) != 0, material.hits(rows)


def _expected(rows: CodedPairs, first: NDArray[np.bool_], is_target: NDArray[np.bool_]) -> float:
    """Return the expected number of users with a relevant item in the first row: the larger number under two clean orders."""
    user = np.unique(rows.user, return_inverse=True)[1].ravel()
    return max(_if_random(user, rows.value, is_target), _if_common(user, rows.item, first, is_target))


def _if_random(user: NDArray[np.int64], value: NDArray[np.float64], is_target: NDArray[np.bool_]) -> float:
    """Return the expected number if each user's rows are in random order, given that they are not sorted by score.

    If a share q of a user's rows is relevant, a random first row is relevant with probability q. A random order is sorted with a
    probability s, the product of the factorials of the numbers of equal scores, divided by n! for n rows. Then the first row is one
    of the best, and a share b of these is relevant. So the probability is (q - s b) / (1 - s).
    """
    from scipy.special import gammaln  # noqa: PLC0415 - not needed to read files

    order = np.lexsort((-value, user))
    user, value, is_target = user[order], value[order], is_target[order]
    starts = np.flatnonzero((np.diff(user, prepend=-1) != 0) | (np.diff(value, prepend=np.nan) != 0))
    owner, n_equal, n = user[starts], np.diff(np.append(starts, len(user))), np.bincount(user)
    is_sorted = np.exp(np.bincount(owner, weights=gammaln(n_equal + 1)) - gammaln(n + 1))
    of_best = (np.add.reduceat(is_target, starts, dtype=np.float64) / n_equal)[np.diff(owner, prepend=-1) != 0]
    share = np.bincount(user, weights=is_target) / n
    return float(((share - is_sorted * of_best) / (1 - is_sorted)).sum())


def _if_common(user: NDArray[np.int64], item: NDArray[np.int64], first: NDArray[np.bool_], is_target: NDArray[np.bool_]) -> float:
    """Return the expected number if the items in first rows are relevant as often as for other users.

    An item is relevant in proportion to the share of relevant rows of the user. If all users have the same share, this is the
    expected number of Mantel & Haenszel, with a stratum for each item.
    """
    share = (np.bincount(user, weights=is_target) / np.bincount(user))[user]
    n_relevant, total = (np.bincount(item, weights=weights) for weights in (is_target, share))
    return float(np.minimum(1.0, share[first] * n_relevant[item[first]] / np.maximum(total[item[first]], 1e-300)).sum())


REPEATED = "candidates drawn with repetition"

_ORDERS = 10
"""Number of random orders of equal scores."""


def repeated_candidates(material: Material) -> Iterator[Suspicion]:
    """Count rows that repeat a pair, and measure with a separate position for each repetition, as programs without a check do."""
    for run in material.runs:
        n_repeats = len(run.as_written) - len(run.pairs)
        evidence = f"{share(n_repeats, len(run.as_written))} rows of the run repeat a pair of user and item"
        if not n_repeats:
            yield Suspicion(REPEATED, run.name, "none", evidence)
            continue
        yield Suspicion(
            *(REPEATED, run.name, "found", f"{evidence}; all other detectors count each pair once, with its best value"),
            inflation=_gain(material, run),
            innocent="a file that was written twice, or that joins several folds",
            remedy="draw candidates without replacement, and write each pair once",
        )


def _gain(material: Material, run: SearchedRun) -> Inflation:
    """Return the value with repetitions minus the value without, averaged over random orders of equal scores.

    A repetition has the same score as the first row of its pair, so their order is random instead of following from names. The
    interval covers the variation between users and between orders.
    """
    rows, items, is_again = _told_apart(material, run)
    measure = material.measure(material.test)
    if measure is None:
        return UNKNOWN
    stream, gains = material.stream.child("again", run.name), []
    for number in range(_ORDERS):
        values = in_order(rows, stream.uniform(number, np.arange(len(rows))))
        gains.append(measure(values, items).values - measure(values.kept(~is_again), items).values)
    of_users = UserValues(np.mean(gains, axis=0))
    over_users = of_users.less(UserValues(np.where(of_users.is_counted, 0.0, np.nan)))
    spread = float(np.nanmean(gains, axis=1).std(ddof=1)) * math.sqrt(1 + 1 / _ORDERS)
    return over_users.widened(NORMAL * spread)


def _told_apart(material: Material, run: SearchedRun) -> tuple[CodedPairs, list[str], NDArray[np.bool_]]:
    """Rename every repetition that the metric may read to an unjudged item; also return which rows are repetitions."""
    lowest = np.full(len(material.users), np.inf)
    within = material.within_reach(run.pairs)
    np.minimum.at(lowest, within.user, within.value)
    rows = run.as_written.kept(run.as_written.value >= lowest[run.as_written.user])
    pair = keys(rows, material.n_items)
    order = np.lexsort((np.arange(len(rows)), -rows.value, pair))
    is_again = np.zeros(len(rows), dtype=np.bool_)
    is_again[order] = np.diff(pair[order], prepend=-1) == 0
    item = rows.item.copy()
    n = int(is_again.sum())
    item[is_again] = material.n_items + np.arange(n)
    return CodedPairs(rows.user, item, rows.value), [*material.items, *(f"repetition {number}" for number in range(n))], is_again
