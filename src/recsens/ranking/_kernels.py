"""Compiled loops that find the positions of judged items among the scores of their targets."""

import numpy as np
from numba import prange

from recsens.compiled.machine_code import njit

HIGH_INDEX, LOW_INDEX, RANDOM = 0, 1, 2
"""Tie policies as the kernels know them."""


@njit(inline="always")
def _mix(state):
    state = state + np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


@njit(inline="always")
def _hash(start, user, item):
    # The same bits as Stream.hashes(user, item): lists and positions must break ties alike.
    return _mix(_mix(start ^ _mix(np.uint64(user))) ^ _mix(np.uint64(item)))


@njit(inline="always")
def _goes_first(other, item, user_key, item_keys, policy, start):
    """Whether the tie policy puts another item with the same score before this one."""
    if policy == HIGH_INDEX:
        return other > item
    if policy == LOW_INDEX:
        return other < item
    return _hash(start, user_key, item_keys[other]) < _hash(start, user_key, item_keys[item])


@njit()
def _ahead_among_tied(row, score, item, user_key, item_keys, policy, start):
    """Count the items of a row with this score that the tie policy puts before an item."""
    ahead = 0
    for other in range(len(row)):
        if row[other] == score and other != item:
            ahead += _goes_first(other, item, user_key, item_keys, policy, start)
    return ahead


@njit(parallel=True)
def locate(scores, keys, ordered, indptr, items, user_keys, item_keys, policy, start, above, tied, position):
    """Fill ``above``, ``tied`` and ``position`` of the judged items of a block of users.

    ``keys`` holds the values by which targets are ranked, -inf where an item is not ranked, and ``ordered`` its rows in ascending
    order; ``scores`` holds the values by which the judged items themselves are ranked: the same values, or more under 1R, where a
    judged item is ranked among targets to which it does not belong. The judged items of row b are ``items[indptr[b]:indptr[b +
    1]]``. Rows of unranked items are left unchanged.
    """
    n_items = keys.shape[1]
    for b in prange(keys.shape[0]):
        row, sorted_row = keys[b], ordered[b]
        for j in range(indptr[b], indptr[b + 1]):
            score = scores[b, items[j]]
            if score == -np.inf:
                continue
            above[j] = n_items - np.searchsorted(sorted_row, score, side="right")
            tied[j] = n_items - np.searchsorted(sorted_row, score, side="left") - above[j] - (row[items[j]] == score)
            position[j] = above[j] + 1
            if tied[j] > 0:
                position[j] += _ahead_among_tied(row, score, items[j], user_keys[b], item_keys, policy, start)


@njit(parallel=True)
def locate_among(
    scores, keys, indptr, items, others, first, last, user_keys, item_keys, policy, start, above, tied, position, ranked
):
    """Fill ``above``, ``tied`` and ``position`` of rated items, each among targets of its own, and the number of these ranked.

    Item j is ranked among those of ``others[first[j]:last[j]]`` that ``keys`` ranks; -1 ends the targets early. Otherwise as
    `locate`.
    """
    for b in prange(keys.shape[0]):
        row = keys[b]
        for j in range(indptr[b], indptr[b + 1]):
            item, score = items[j], scores[b, items[j]]
            ahead = 0
            for index in range(first[j], last[j]):
                other = others[index]
                if other < 0:
                    break
                key = row[other]
                if key == -np.inf or other == item:
                    continue
                ranked[j] += 1
                above[j] += key > score
                if key == score:
                    tied[j] += 1
                    ahead += _goes_first(other, item, user_keys[b], item_keys, policy, start)
            if score == -np.inf:
                above[j] = 0
            else:
                position[j] = above[j] + 1 + ahead


@njit()
def _put_ranks(row, items, values, first, step):
    """Assign items the numbers first, first + step, ... in ascending order of their values; equal values share one."""
    order = np.argsort(values)
    number = first
    for index in range(len(order)):
        if index > 0 and values[order[index]] != values[order[index - 1]]:
            number += step
        row[items[order[index]]] = number


@njit(parallel=True)
def append_below(keys, filled, others):
    """Order the items of ``filled`` by ``others``, below all items that ``keys`` ranks.

    In rows with filled-in items, keys become ranks: joining two scales by a shift would lose ties or order to rounding.
    """
    for b in prange(keys.shape[0]):
        lower = np.flatnonzero(filled[b])
        if len(lower) == 0:
            continue
        row = keys[b]
        upper = np.flatnonzero(row != -np.inf)
        _put_ranks(row, upper, row[upper], 0, 1)
        _put_ranks(row, lower, -others[b][lower], -1, -1)
