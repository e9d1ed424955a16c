"""Whether an order of equal scores that all users share favours relevant items."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recsens.runs.leakage._chances import by_exchange
from recsens.runs.leakage._material import Material, SearchedRun
from recsens.runs.leakage._reading import CodedPairs

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
