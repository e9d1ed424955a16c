"""Compiled loops that find the positions of items among a user's targets without sorting all scores.

Each score of a row goes into a cell; higher scores go into higher cells. The numbers of scores in the cells determine where each
cell begins in the ranking. Only the cells with judged items, or with the first items of the ranking, are opened. Tie keys
(`recsens.ranking._ties`) are computed only if scores are equal. An uneven distribution of scores over cells affects only the speed.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recsens.compiled.machine_code import njit
from recsens.compiled.random_bits import mixed

FEW = 32
"""The items of a cell with at most this many items are compared one by one.

A larger cell is sorted if it contains first items of the ranking, or at least half this number of judged items.
"""

SAMPLE = 128
"""Number of values of a row that are sampled to choose the row's cells."""

ONE = np.float64(1).view(np.int64)
"""The bits of 1.0 as an integer; the bits of higher numbers are higher integers."""


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


class _Cells(NamedTuple):
    """The cells (intervals of values) of a row; cell 0 contains the unranked items."""

    of: NDArray[np.uint16]
    """The cell of each item."""
    counts: NDArray[np.int32]
    """Number of items in each cell."""
    ends: NDArray[np.int32]
    """The place in the ranking where each opened cell ends."""
    visits: NDArray[np.int32]
    """Number of judged items in each cell."""
    is_open: NDArray[np.uint8]
    """Whether a cell is opened."""
    is_sorted: NDArray[np.bool_]
    """Whether a cell with many items is sorted."""


class _Order(NamedTuple):
    """The ranking of a row; only the places of opened cells are filled."""

    items: NDArray[np.int32]
    falling: NDArray[np.float64]
    """Negated values of the items, which ascend in sorted cells; many adjacent values can be compared at a time."""
    keys: NDArray[np.uint64]
    """Tie keys of the items; set only in sorted cells."""
    found: NDArray[np.int32]
    """Space for the items of all opened cells."""


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
    n_items = values.shape[1]
    cells, order = _empty_cells(n_items), _empty_order(n_items)
    cell_of = np.empty(len(judged.items), dtype=np.uint16)
    for b in range(len(values)):
        row, user, first, last = values[b], ties.users[b], judged.indptr[b], judged.indptr[b + 1]
        _deal(row, cells)
        for j in range(first, last):
            cell_of[j] = cells.of[judged.items[j]] if judged.is_wanted[j] else 0
        _count(is_target[b], cells)
        before, n_ranked = ranked[b], n_items - cells.counts[0]
        n_listed = max(0, min(heads.shape[1] - before, n_ranked))
        _open(cell_of[first:last], n_listed, cells)
        _gather(row, cells, order)
        _sort_head(user, ties, n_listed, cells, order)
        heads[b, before : before + n_listed] = order.items[:n_listed]
        _stand(judged.items, cell_of, first, last, row, user, ties, cells, order, before, stands)
        ranked[b] += n_ranked


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
                    ahead += _key(other, user, ties) < _key(item, user, ties)
            if judged.is_wanted[j] and not np.isnan(row[item]):
                stands.above[j] = ranked[j] + higher
                stands.tied[j] = tied
                stands.position[j] = ranked[j] + higher + ahead + 1
            ranked[j] += n_ranked


@njit()
def _empty_cells(n_items):
    # More cells take longer to count; fewer cells contain more items to compare. For 1,000 items and more, this power of two is
    # about the best.
    n = 64
    while n < 32 * np.sqrt(n_items) and n < 2**15:
        n *= 2
    return _Cells(
        np.empty(n_items, np.uint16),
        np.empty(n, np.int32),
        np.empty(n, np.int32),
        np.empty(n, np.int32),
        np.empty(n, np.uint8),
        np.empty(n, np.bool_),
    )


@njit()
def _empty_order(n_items):
    return _Order(np.empty(n_items, np.int32), np.empty(n_items), np.empty(n_items, np.uint64), np.empty(n_items, np.int32))


@njit(error_model="numpy")
def _deal(row, cells):
    """Put each value into a cell numbered from 1, and NaN into cell 0.

    The leading bits of y = 1 + (value - low) / (mean - low) determine the cell. Cells are equally wide near most of the values, and
    become wider in the tail above. Each step of the computation keeps the order.
    """
    low, per_unit, shift = _layout(row, len(cells.counts))
    highest = np.int64(ONE + (np.int64(len(cells.counts) - 1) << shift) - 1).view(np.float64)
    of = cells.of
    for item in range(len(row)):
        y = 1.0 + (row[item] - low) * per_unit
        y = max(1.0, y)
        y = min(highest, y)
        cell = ((np.float64(y).view(np.int64) - ONE) >> shift) + 1
        of[item] = np.uint16(cell if row[item] == row[item] else 0)


@njit(error_model="numpy")
def _layout(row, n_cells):
    """Return, from a sample: the lowest value, the units of y (see `_deal`) per unit of value, and how many bits to cut from y."""
    low, high, mean, n = _extent(row[:: max(1, len(row) // SAMPLE)])
    if n < SAMPLE // 8:
        low, high, mean, n = _extent(row)
    per_unit = 1.0 / (mean - low)
    if not 0.0 < per_unit < np.inf:
        # All values are equal, or they are too far apart; one cell then contains all of them.
        return low, 0.0, 0
    # Allow for values above those in the sample. Beyond 1e18, cells would overflow.
    span = np.float64(min(1.0 + 2.0 * (high - low) * per_unit, 1e18)).view(np.int64) - ONE
    shift = 0
    while span >> shift > n_cells - 2:
        shift += 1
    return low, per_unit, shift


@njit(error_model="numpy")
def _extent(values):
    low, high, total, n = np.inf, -np.inf, 0.0, 0
    for value in values:
        if not np.isnan(value):
            low, high, total, n = min(low, value), max(high, value), total + value, n + 1
    return low, high, total / n, n


@njit()
def _count(is_target, cells):
    """Count the targets in each cell; non-targets move to cell 0."""
    of, counts = cells.of, cells.counts
    # This loop is separate because the compiler can then vectorise it.
    for item in range(len(of)):
        of[item] = of[item] if is_target[item] else 0
    counts[:] = 0
    for cell in of:
        counts[cell] += 1


@njit()
def _open(cell_of_judged, n_listed, cells):
    """Choose the cells to open: the cells with judged items, and the cells with the first ``n_listed`` items."""
    counts, ends, visits, is_open = cells.counts, cells.ends, cells.visits, cells.is_open
    visits[:] = 0
    for cell in cell_of_judged:
        visits[cell] += 1
    for cell in range(len(visits)):
        is_open[cell] = visits[cell] > 0
    is_open[0] = 0
    cells.is_sorted[:] = False
    n_higher = 0
    for cell in range(len(counts) - 1, 0, -1):
        ends[cell] = n_higher
        n_higher += counts[cell]
    cell = len(counts)
    while n_listed > 0:
        cell -= 1
        is_open[cell] = 1
        n_listed -= counts[cell]


@njit()
def _gather(row, cells, order):
    """Copy the items of opened cells, and the items' values, to the places of their cells in the ranking."""
    of, ends, is_open, found, items, falling = cells.of, cells.ends, cells.is_open, order.found, order.items, order.falling
    n_found = 0
    for item in range(len(of)):
        # Avoid a branch, which would often be mispredicted: write every item; if it does not count, the next item overwrites it.
        found[n_found] = item
        n_found += is_open[of[item]]
    for item in found[:n_found]:
        cell = of[item]
        items[ends[cell]] = item
        falling[ends[cell]] = -row[item]
        ends[cell] += 1


@njit()
def _sort_head(user, ties, n_listed, cells, order):
    at = 0
    while at < n_listed:
        cell = cells.of[order.items[at]]
        if cells.counts[cell] > FEW:
            _sort_many(cell, user, ties, cells, order)
        else:
            _sort_few(at, cells.ends[cell], user, ties, order)
        at = cells.ends[cell]


@njit()
def _sort_few(first, end, user, ties, order):
    items, falling = order.items, order.falling
    for last in range(first + 1, end):
        item, value, at = items[last], falling[last], last
        while at > first and _goes_before(item, value, items[at - 1], falling[at - 1], user, ties):
            items[at], falling[at] = items[at - 1], falling[at - 1]
            at -= 1
        items[at], falling[at] = item, value


@njit()
def _sort_many(cell, user, ties, cells, order):
    end, n = cells.ends[cell], cells.counts[cell]
    items, falling, keys = order.items[end - n : end], order.falling[end - n : end], order.keys[end - n : end]
    for index in range(n):
        keys[index] = _key(items[index], user, ties)
    by_key = np.argsort(keys)
    by_value = by_key[np.argsort(falling[by_key], kind="mergesort")]
    items[:], falling[:], keys[:] = items[by_value], falling[by_value], keys[by_value]
    cells.is_sorted[cell] = True


@njit()
def _stand(judged, cell_of, first, last, row, user, ties, cells, order, before, stands):
    """Find the positions of a row's judged items from the items in their cells."""
    counts, ends, visits, is_sorted = cells.counts, cells.ends, cells.visits, cells.is_sorted
    for j in range(first, last):
        item, cell = judged[j], cell_of[j]
        if cell == 0:
            continue
        end = ends[cell]
        begin = end - counts[cell]
        if counts[cell] > FEW and visits[cell] > FEW // 2 and not is_sorted[cell]:
            _sort_many(cell, user, ties, cells, order)
        value = -row[item]
        is_among = cells.of[item] > 0  # A judged target ties with itself.
        if is_sorted[cell]:
            higher, tied, ahead = _stand_among_sorted(item, value, order.falling[begin:end], order.keys[begin:end], user, ties)
        else:
            higher, tied, ahead = _stand_among(item, is_among, value, begin, end, user, ties, order)
        stands.above[j] = before + begin + higher
        stands.tied[j] = tied - is_among
        stands.position[j] = before + begin + higher + ahead + 1


@njit()
def _stand_among_sorted(item, value, falling, keys, user, ties):
    higher = np.searchsorted(falling, value)
    at_least = np.searchsorted(falling, value, side="right")
    return higher, at_least - higher, np.searchsorted(keys[higher:at_least], _key(item, user, ties))


@njit()
def _stand_among(item, is_among, value, begin, end, user, ties, order):
    items, falling, first, last = order.items, order.falling, np.uint64(begin), np.uint64(end)
    higher, tied, ahead = 0, 0, 0
    # The compiler can vectorise these loops because they have neither branches nor signed indices.
    for index in range(first, last):
        higher += falling[index] < value
        tied += falling[index] == value
    if tied > is_among:
        key = _key(item, user, ties)
        for index in range(first, last):
            ahead += (falling[index] == value) & (_key(items[index], user, ties) < key)
    return higher, tied, ahead


@njit()
def _goes_before(item, value, other, other_value, user, ties):
    if value != other_value:
        return value < other_value
    return _key(item, user, ties) < _key(other, user, ties)


@njit()
def _key(item, user, ties):
    """Return an item's tie key in the user's ranking; among ties, the item with the lower key comes first."""
    return mixed(user ^ ties.items[item]) if ties.is_random else ties.items[item]
