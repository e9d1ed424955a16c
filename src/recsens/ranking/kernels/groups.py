"""Positions of judged items: each is compared with the items in its cell."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recsens.compiled.machine_code import njit
from recsens.compiled.prefetch import prefetch
from recsens.compiled.random_bits import mixed
from recsens.ranking.kernels.cells import NUMBER
from recsens.ranking.kernels.tie_keys import order_of, tie_key

MANY = 256
"""A cell with at least this number of judged items is sorted; in another, each judged item is compared with all items."""

AHEAD = np.uint64(64)
"""How many items before its turn an item's value and key are prefetched."""

WIDTH = 8
"""Items of a cell are compared in steps of this number. The space of a cell is filled up with NaN to a multiple of it."""

_STEP, _BELOW = np.uint64(WIDTH), np.uint32(WIDTH - 1)


class Gathered(NamedTuple):
    """The items in marked cells, cell by cell."""

    falling: NDArray[np.float64]
    """Negated values of the items, which ascend in sorted cells."""
    keys: NDArray[np.uint64]
    """Tie keys of the items."""
    ends: NDArray[np.uint32]
    """Where the items of each cell end."""
    visits: NDArray[np.uint32]
    """Number of judged items in each cell."""
    is_sorted: NDArray[np.bool_]
    """Whether a cell is sorted."""


@njit()
def empty_groups(n_items, n_cells):
    """Allocate space for the items in marked cells."""
    n = n_items + WIDTH * n_cells
    return Gathered(
        np.empty(n), np.empty(n, np.uint64), np.empty(n_cells, np.uint32), np.empty(n_cells, np.uint32), np.empty(n_cells, np.bool_)
    )


@njit()
def gather(row, user, ties, judged_cells, n_found, cells, groups):
    """Copy the values and keys of the items in marked cells, cell by cell."""
    of, found, falling, keys, ends = cells.of, cells.found, groups.falling, groups.keys, groups.ends
    end = _make_room(judged_cells, cells, groups)
    for index in range(n_found):
        prefetch(row, np.uint64(found[index + AHEAD]))
        prefetch(ties.items, np.uint64(found[index + AHEAD]))
        item = found[index]
        cell = of[item]
        at = ends[cell]
        ends[cell] = at + np.uint32(1)
        falling[at], keys[at] = -row[item], ties.items[item]
    if ties.is_random:
        for index in range(end):
            keys[index] = mixed(user ^ keys[index])


@njit()
def _make_room(judged_cells, cells, groups):
    """Reserve space for each cell with judged items, and return the end of the space; ``ends`` are where the spaces begin."""
    groups.visits[:] = 0
    groups.is_sorted[:] = False
    end = np.uint64(0)
    for cell in judged_cells:
        if cell and not groups.visits[cell]:
            groups.ends[cell] = end
            end += np.uint64(cells.numbers[cell] & NUMBER & ~_BELOW)
            # Comparisons with NaN are false.
            for index in range(end, end + _STEP):
                groups.falling[index] = np.nan
            end += _STEP
        groups.visits[cell] += np.uint32(1)
    return end


@njit()
def place(judged, cell_of_judged, first, last, row, user, ties, cells, groups, is_target, before, stands):
    """Find the positions of a row's judged items."""
    for j in range(first, last):
        item, cell = judged.items[j], cell_of_judged[j]
        if cell == 0:
            continue
        n, end = cells.numbers[cell] & NUMBER, groups.ends[cell]
        begin = np.uint64(end - n)
        value, key = -row[item], tie_key(item, user, ties)
        if groups.visits[cell] >= MANY:
            higher, tied, ahead = _find_among_sorted(value, key, cell, begin, end, groups)
        else:
            higher, tied, ahead = _find_among(value, key, begin, begin + np.uint64((n + _BELOW) & ~_BELOW), groups)
        above = before + np.int64(cells.higher[cell] & NUMBER) + higher
        stands.above[j] = above
        stands.tied[j] = tied - is_target[item]  # A judged target ties with itself.
        stands.position[j] = above + ahead + 1


@njit()
def _find_among_sorted(value, key, cell, begin, end, groups):
    falling, keys = groups.falling[begin:end], groups.keys[begin:end]
    if not groups.is_sorted[cell]:
        order = order_of(falling, keys)
        falling[:], keys[:] = falling[order], keys[order]
        groups.is_sorted[cell] = True
    higher = np.searchsorted(falling, value)
    at_least = np.searchsorted(falling, value, side="right")
    return higher, at_least - higher, np.searchsorted(keys[higher:at_least], key)


@njit()
def _find_among(value, key, begin, end, groups):
    falling, keys = groups.falling, groups.keys
    higher, tied, ahead = 0, 0, 0
    # The compiler can vectorise this loop because it has neither branches nor signed indices.
    for index in range(begin, end):
        higher += falling[index] < value
        tied += falling[index] == value
        ahead += (falling[index] == value) & (keys[index] < key)
    return higher, tied, ahead
