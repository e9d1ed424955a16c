"""Positions of judged items in sorted rows of scores; every user's row is one thread's own."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

HIGH_INDEX, LOW_INDEX, RANDOM = 0, 1, 2
"""Tie policies as the kernels know them."""


@njit(cache=True, inline="always")
def _mix(state):
    state = state + np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


@njit(cache=True, inline="always")
def _hash(start, user, item):
    # The same bits as Stream.hashes(user, item): lists and positions must break a tie alike.
    return _mix(_mix(start ^ _mix(np.uint64(user))) ^ _mix(np.uint64(item)))


@njit(cache=True)
def _ahead_among_tied(row, item, user_key, item_keys, policy, start):
    """Count the items with this item's score that the tie policy puts before it."""
    score = row[item]
    ahead = 0
    if policy == HIGH_INDEX:
        for other in range(item + 1, len(row)):
            ahead += row[other] == score
    elif policy == LOW_INDEX:
        for other in range(item):
            ahead += row[other] == score
    else:
        mine = _hash(start, user_key, item_keys[item])
        for other in range(len(row)):
            if row[other] == score and other != item:
                ahead += _hash(start, user_key, item_keys[other]) < mine
    return ahead


@njit(cache=True, parallel=True)
def locate(scores, ordered, indptr, items, user_keys, item_keys, policy, start, above, tied, position):
    """Fill ``above``, ``tied`` and ``position`` of the judged items of a block of users.

    ``scores`` holds -inf where an item is not ranked, ``ordered`` its rows in ascending order; the judged items of row b are
    ``items[indptr[b]:indptr[b + 1]]``. Rows of items that are not ranked are left alone.
    """
    n_items = scores.shape[1]
    for b in prange(scores.shape[0]):
        row, sorted_row = scores[b], ordered[b]
        for j in range(indptr[b], indptr[b + 1]):
            score = row[items[j]]
            if score == -np.inf:
                continue
            above[j] = n_items - np.searchsorted(sorted_row, score, side="right")
            tied[j] = n_items - np.searchsorted(sorted_row, score, side="left") - above[j] - 1
            position[j] = above[j] + 1
            if tied[j] > 0:
                position[j] += _ahead_among_tied(row, items[j], user_keys[b], item_keys, policy, start)
