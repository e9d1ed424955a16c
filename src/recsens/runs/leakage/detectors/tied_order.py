"""Ties that favour relevant items: equal scores in a suspicious order of item names or of rows."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from recsens.runs.leakage._chances import by_exchange
from recsens.runs.leakage._material import Material, SearchedRun
from recsens.runs.leakage._random_orders import DRAWS, RandomOrders
from recsens.runs.leakage._reading import CodedPairs
from recsens.runs.leakage._sizes import UserValues
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


NAME = "order of equal scores"

_ROWS, _BY_NAME = "rows", "item name, descending"

_LEVEL = 0.001
"""The order of names can be reported instead of the order of rows only if its chance is at most this."""

_AGREE, _LEAST_MET = 0.6, 30
"""Rows may follow a common order if at least this share of repeated neighbours have the same order, or if too few are repeated."""


def look(material: Material) -> Iterator[Suspicion]:
    """Compare the order of names and the order of rows with random orders of equal scores.

    The size is measured for the order of rows, which the file has. It is measured for the order of names only if there is evidence
    against that order, and more evidence than against the order of rows. If two orders are harmless, the size of the more extreme
    one would be overstated.
    """
    for run in material.runs:
        orders = RandomOrders.of(material, run)
        if orders is None:
            yield Suspicion(NAME, run.name, "none", f"the order of equal scores changes no value of {material.label}")
            continue
        by_rows = material.measured(material.within_reach(run.pairs), material.test, ties="given")
        means = {_BY_NAME: material.given(run).mean, _ROWS: by_rows.mean}
        chances = _chances(material, run, orders, by_rows)
        order = _BY_NAME if chances[_BY_NAME] < min(chances[_ROWS], _LEVEL) else _ROWS
        written = "; ".join(f"{mean:.4f} in the order of {each}" for each, mean in means.items())
        n, n_rising = _rising(material, run)
        yield Suspicion(
            *(NAME, run.name, "none"),
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
