"""The first items of a ranking: only the highest cells are sorted, and of the lowest of them only the items that are needed."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recsens.compiled.machine_code import njit
from recsens.compiled.selection import kth_highest
from recsens.ranking.kernels.cells import NUMBER
from recsens.ranking.kernels.tie_keys import order_of, tie_key

FEW = 32
"""A cell with at most this many items is sorted by insertion."""

BLOCK = np.uint64(32)
"""Number of words that are checked together. A word has four cells; words without one of the highest cells are skipped."""

_EACH = np.uint64(0x0001_0001_0001_0001)
_FIRST_BITS = np.uint64(0x8000_8000_8000_8000)
_0, _1, _2, _4 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(4)


class Head(NamedTuple):
    """The items in the highest cells; in each array, they are in the order of the cells."""

    items: NDArray[np.int32]
    falling: NDArray[np.float64]
    """Negated values of the items."""
    keys: NDArray[np.uint64]
    """Tie keys of the items."""
    fours: NDArray[np.uint32]
    """Space for the words that contain one of the highest cells."""
    found: NDArray[np.uint32]
    """Space for the items before they are in order."""


@njit()
def empty_head(n_items):
    """Allocate space for the items in the highest cells."""
    fours, found = np.empty(n_items // 4 + 3, np.uint32), np.empty(n_items + 8, np.uint32)
    return Head(np.empty(n_items, np.int32), np.empty(n_items), np.empty(n_items, np.uint64), fours, found)


@njit()
def list_first(row, user, ties, n_listed, cells, head):
    """Set ``head.items`` to the first items of the ranking, at least ``n_listed``. This changes the numbers of ``cells``."""
    if n_listed == 0:
        return
    lowest = _lowest(n_listed, cells.higher)
    n_found = _find(lowest, cells, head)
    most = np.uint32(0)
    for index in range(n_found):
        item = head.found[index]
        cell = cells.of[item]
        at = cells.higher[cell] & NUMBER
        cells.higher[cell] += np.uint32(1)
        most = max(most, cells.numbers[cell] & NUMBER)
        head.items[at], head.falling[at], head.keys[at] = item, -row[item], tie_key(item, user, ties)
    if most > FEW:
        n_found = _keep_first(n_listed, lowest, n_found, cells, head)
        _sort_large(lowest, cells, head)
    _sort_small(n_found, head)


@njit()
def _lowest(n_listed, higher):
    """Return the lowest cell with one of the first ``n_listed`` items, by bisection."""
    lowest, above = 0, len(higher)
    while above - lowest > 1:
        middle = (lowest + above) // 2
        if (higher[middle - 1] & NUMBER) < n_listed:
            above = middle
        else:
            lowest = middle
    return lowest


@njit()
def _find(lowest, cells, head):
    """Find the items whose cell is not below the lowest, and return their number."""
    of, in_fours, fours, found = cells.of, cells.in_fours, head.fours, head.found
    n_fours, n_found, n_words, first = _0, _0, np.uint64(len(in_fours)), _0
    each_lowest = np.uint64(lowest) * _EACH
    while first < n_words:
        last = min(first + BLOCK, n_words)
        if _has_high(first, last, each_lowest, in_fours):
            for word in range(first, last):
                # Avoid a branch, as in `deal`.
                fours[n_fours] = word
                n_fours += np.uint64(_high(in_fours[word], each_lowest) != _0)
        first = last
    for index in range(n_fours):
        begin = np.uint64(fours[index]) << _2
        for item in range(begin, begin + _4):
            found[n_found] = item
            n_found += np.uint64(of[item] >= lowest)
    return n_found


@njit()
def _has_high(first, last, each_lowest, in_fours):
    high = _0
    for word in range(first, last):
        high |= _high(in_fours[word], each_lowest)
    return high != _0


@njit()
def _high(word, each_lowest):
    """Compare the four cells in a word, all below 2¹⁵, with the lowest: set the first bit of those that are not below it."""
    return ((word | _FIRST_BITS) - each_lowest) & _FIRST_BITS


@njit()
def _keep_first(n_listed, lowest, n_found, cells, head):
    """Keep only those items of the lowest cell that are among the first ``n_listed``; return how many items remain in all."""
    begin = n_found - np.uint64(cells.numbers[lowest] & NUMBER)
    n_wanted = n_listed - np.int64(begin)
    items, falling, keys = head.items[begin:n_found], head.falling[begin:n_found], head.keys[begin:n_found]
    if n_wanted == len(items):
        return n_found
    last = -kth_highest(-falling, n_wanted)
    last_key = ~kth_highest(~keys[falling == last], n_wanted - np.count_nonzero(falling < last))
    n_kept = 0
    for index in range(len(items)):
        if falling[index] < last or (falling[index] == last and keys[index] <= last_key):
            items[n_kept], falling[n_kept], keys[n_kept] = items[index], falling[index], keys[index]
            n_kept += 1
    cells.numbers[lowest] = n_kept
    cells.higher[lowest] = begin + np.uint64(n_kept)
    return begin + np.uint64(n_kept)


@njit()
def _sort_large(lowest, cells, head):
    for cell in range(lowest, len(cells.numbers)):
        n, end = cells.numbers[cell] & NUMBER, cells.higher[cell] & NUMBER
        if n > FEW:
            items, falling, keys = head.items[end - n : end], head.falling[end - n : end], head.keys[end - n : end]
            order = order_of(falling, keys)
            items[:], falling[:], keys[:] = items[order], falling[order], keys[order]


@njit()
def _sort_small(n, head):
    """Sort by insertion. The cells are in order, so that items move only within their cells."""
    items, falling, keys = head.items, head.falling, head.keys
    for index in range(n - _1):
        at = index + _1
        item, value, key = items[at], falling[at], keys[at]
        while at > _0 and (value < falling[at - _1] or (value == falling[at - _1] and key < keys[at - _1])):
            items[at], falling[at], keys[at] = items[at - _1], falling[at - _1], keys[at - _1]
            at -= _1
        items[at], falling[at], keys[at] = item, value, key
