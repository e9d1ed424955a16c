"""Rank targets, without sorting all scores."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recsens.compiled.machine_code import njit
from recsens.compiled.prefetch import prefetch
from recsens.compiled.random_bits import mix_bits
from recsens.compiled.selection import kth_highest
from recsens.ranking.kernels.cells import NUMBER, cell_of, deal_into_cells, empty_cells, mark_cells, spacing_for


@njit()
def tie_key(item, user, ties):
    """Return an item's tie key in the user's ranking; among ties, the item with the lower key comes first."""
    return mix_bits(user ^ ties.items[item]) if ties.is_random else ties.items[item]


@njit()
def order_of(falling, keys):
    """Return the order of items in the ranking, from their negated values and their keys."""
    by_key = np.argsort(keys)
    return by_key[np.argsort(falling[by_key], kind="mergesort")]


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
    n_found = _find_at_least(lowest, cells, head)
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
def _find_at_least(lowest, cells, head):
    """Find the items whose cell is not below the lowest, and return their number."""
    of, in_fours, fours, found = cells.of, cells.in_fours, head.fours, head.found
    n_fours, n_found, n_words, first = _0, _0, np.uint64(len(in_fours)), _0
    each_lowest = np.uint64(lowest) * _EACH
    while first < n_words:
        last = min(first + BLOCK, n_words)
        if _has_high(first, last, each_lowest, in_fours):
            for word in range(first, last):
                # Avoid a branch, as in `deal_into_cells`.
                fours[n_fours] = word
                n_fours += np.uint64(_flag_high(in_fours[word], each_lowest) != _0)
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
        high |= _flag_high(in_fours[word], each_lowest)
    return high != _0


@njit()
def _flag_high(word, each_lowest):
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
def gather_groups(row, user, ties, judged_cells, n_found, cells, groups):
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
            keys[index] = mix_bits(user ^ keys[index])


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
def place_judged(judged, cell_of_judged, first, last, row, user, ties, cells, groups, is_target, before, stands):
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


class JudgedInLayer(NamedTuple):
    """Judged items of a block of users; row b has the items ``items[indptr[b]:indptr[b + 1]]``."""

    indptr: NDArray[np.int64]
    items: NDArray[np.int32]
    is_wanted: NDArray[np.bool_]
    """Which of these items are ranked if they have a value."""


class Stands(NamedTuple):
    """Positions of judged items, all of shape (n,); 0 for an unranked item."""

    above: NDArray[np.int32]
    tied: NDArray[np.int32]
    position: NDArray[np.int32]


@njit()
def rank_apart(values, is_target, judged, others, first, last, ties, stands, ranked):
    """Rank each judged item among its own targets, and below the items already ranked.

    Item j is ranked among the items in ``others[first[j]:last[j]]`` that are targets of its user and have a value; -1 ends the list
    early. ``ranked`` gives the number of these other items for each item j. The other parameters are as in `rank_targets`.
    """
    for b in range(len(values)):
        row, user = values[b], ties.users[b]
        for j in range(judged.indptr[b], judged.indptr[b + 1]):
            item = judged.items[j]
            higher, tied, ahead, n_ranked = 0, 0, 0, 0
            for other in others[first[j] : last[j]]:
                if other < 0:
                    break
                if not is_target[b, other] or np.isnan(row[other]) or other == item:
                    continue
                n_ranked += 1
                higher += row[other] > row[item]
                if row[other] == row[item]:
                    tied += 1
                    ahead += tie_key(other, user, ties) < tie_key(item, user, ties)
            if judged.is_wanted[j] and not np.isnan(row[item]):
                stands.above[j] = ranked[j] + higher
                stands.tied[j] = tied
                stands.position[j] = ranked[j] + higher + ahead + 1
            ranked[j] += n_ranked


@njit(error_model="numpy")
def rank_targets(values, is_target, judged, ties, stands, ranked, heads):
    """Rank the targets that have a value, below items already ranked, for a block of users; find the positions of judged items.

    Parameters
    ----------
    values, is_target
        The values by which items are ranked, NaN for an item without a value, and the targets, both of shape (n_users, n_items).
    judged
        The judged items. Judged items need not be targets: under 1R, a judged item is ranked among targets that do not include it.
    ties
        The inputs of the tie keys.
    stands
        Receives the positions of the judged items that are to be ranked and have a value.
    ranked
        The number of items already ranked for each user; this call adds the number of items that it ranks.
    heads
        The first items of each ranking, shape (n_users, depth); this call appends items until the depth is reached.
    """
    cells = empty_cells(values.shape[1])
    n_cells = len(cells.numbers)
    groups, head = empty_groups(values.shape[1], n_cells), empty_head(values.shape[1])
    cell_of_judged = np.empty(len(judged.items), dtype=np.uint16)
    for b in range(len(values)):
        row, user, first, last = values[b], ties.users[b], judged.indptr[b], judged.indptr[b + 1]
        spacing = spacing_for(row, n_cells)
        for j in range(first, last):
            cell_of_judged[j] = cell_of(row[judged.items[j]], judged.is_wanted[j], spacing)
        mark_cells(cell_of_judged[first:last], cells)
        n_found = deal_into_cells(row, is_target[b], spacing, cells)
        before, n_ranked = ranked[b], np.int64(cells.higher[0] & NUMBER)
        gather_groups(row, user, ties, cell_of_judged[first:last], n_found, cells, groups)
        place_judged(judged, cell_of_judged, first, last, row, user, ties, cells, groups, is_target[b], before, stands)
        n_listed = max(0, min(heads.shape[1] - before, n_ranked))
        list_first(row, user, ties, n_listed, cells, head)
        heads[b, before : before + n_listed] = head.items[:n_listed]
        ranked[b] += n_ranked
