"""Cells: intervals of values, in which the scores of a row are counted instead of sorted.

Higher scores go into higher cells, so the numbers of items in the cells determine where each cell begins in the ranking.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recsens.compiled.machine_code import njit
from recsens.compiled.prefetch import prefetch

SAMPLE = 128
"""Number of values of a row that are sampled to choose the row's cells."""

STRETCH = np.uint64(256)
"""Number of items that are put into cells before they are counted. Their values then stay in the first cache."""

AHEAD = np.uint64(4096)
"""How many values before its turn a value is prefetched. The next row of few items is then in the cache before its turn."""

MARK = np.uint32(1 << 31)
"""The bit in a cell's number of items that says that the items in the cell are to be found."""

NUMBER = MARK - np.uint32(1)
"""The other bits, the number."""

ONE = np.float64(1).view(np.int64)
"""The bits of 1.0 as an integer; the bits of higher numbers are higher integers."""

_1, _3, _7, _8, _31 = np.uint64(1), np.uint64(3), np.uint64(7), np.uint64(8), np.uint32(31)


class Spacing(NamedTuple):
    """Where the cells of a row begin and end, as described in `cell_of`."""

    low: float
    per_unit: float
    highest: float
    shift: int


class Cells(NamedTuple):
    """The cells of a row; cell 0 contains the unranked items. The first bit of a number of items may be a mark."""

    of: NDArray[np.uint16]
    """The cell of each item; a few more, all 0, make the length a multiple of eight."""
    in_fours: NDArray[np.uint64]
    """The same memory, four cells in a word."""
    numbers: NDArray[np.uint32]
    """Number of items in each cell, and the mark."""
    higher: NDArray[np.uint32]
    """Number of items in higher cells; the first bit is meaningless."""
    found: NDArray[np.uint32]
    """Space for the items in marked cells, and for some more, which are not used."""


@njit()
def empty_cells(n_items):
    """Allocate the cells of a row."""
    # More cells take longer to count; fewer cells contain more items to compare. For 1,000 items and more, this power of two is
    # about the best. Numbers of cells must not reach 2¹⁵.
    n_cells = 64
    while n_cells < 32 * np.sqrt(n_items) and n_cells < 2**15:
        n_cells *= 2
    in_fours = np.zeros((n_items + 7) // 8 * 2, np.uint64)
    numbers, higher = np.empty(n_cells, np.uint32), np.empty(n_cells, np.uint32)
    return Cells(in_fours.view(np.uint16), in_fours, numbers, higher, np.empty(n_items + 80, np.uint32))


@njit(error_model="numpy")
def spacing_for(row, n_cells):
    """Choose the spacing of cells from a sample of the row.

    The cells reach twice as far as the sample. Their width doubles so often that it first does so below a typical value. If the
    highest 1/64 of this range contains most of the sample, lower values are far away, such as -1e9 for an item that must not be
    recommended; all of these then share a cell.
    """
    step = max(1, len(row) // SAMPLE)
    low, high, n = _finite_extent(row[::step])
    while step > 1 and (n < SAMPLE // 8 or low == high):
        step = (step + 7) // 8
        low, high, n = _finite_extent(row[::step])
    low, typical = _low_end_of_bulk(row[::step], low, high, n)
    shift = 53
    while np.int64(1) << (53 - shift) < n_cells:
        shift -= 1
    highest, per_unit = _cells_between(low, high, n_cells, shift)
    while (typical - low) * per_unit < 1.0 and highest < 1e18:
        shift += 1
        highest, per_unit = _cells_between(low, high, n_cells, shift)
    # If all values are equal, or too far apart, one cell contains all of them.
    return Spacing(low, per_unit if 0.0 < per_unit < np.inf else 0.0, highest, shift)


@njit(error_model="numpy")
def _cells_between(low, high, n_cells, shift):
    highest = np.int64(ONE + (np.int64(n_cells - 1) << shift) - 1).view(np.float64)
    return highest, (highest - 1.0) / (2.0 * (high - low))


@njit(error_model="numpy")
def _finite_extent(values):
    """Return the lowest and the highest finite value, and the number of finite values."""
    low, high, n = np.inf, -np.inf, 0
    for value in values:
        if np.isfinite(value):
            low, high, n = min(low, value), max(high, value), n + 1
    return low, high, n


@njit(error_model="numpy")
def _low_end_of_bulk(values, low, high, n):
    """Return the lowest value that is not far below most others, and a typical value: a mean to which the highest add little."""
    while True:
        n_high, lowest_high, mean = _highest_values(values, low, high - (high - low) / 64.0, n)
        if 2 * n_high <= n or not low < lowest_high < high:
            break
        low = lowest_high
    for _ in range(8):
        lower = _mean(values, low, mean, n)
        if not lower - low < (mean - low) / 8.0:
            break
        mean = lower
    return low, mean


@njit(error_model="numpy")
def _highest_values(values, low, cut, n):
    """Count the values from ``cut`` up, and return the lowest of them, and the mean of all n values, with ``low`` as the least."""
    n_high, lowest_high, total = 0, np.inf, 0.0
    for value in values:
        if np.isfinite(value):
            total += max(low, value)
            if value >= cut:
                n_high += 1
                lowest_high = min(lowest_high, value)
    return n_high, lowest_high, total / n


@njit(error_model="numpy")
def _mean(values, low, high, n):
    """Return the mean of n values, with ``low`` as the least and ``high`` as the most."""
    total = 0.0
    for value in values:
        if np.isfinite(value):
            total += max(low, min(high, value))
    return total / n


@njit(error_model="numpy")
def cell_of(value, is_ranked, spacing):
    """Return the cell of a value, counted from 1; 0 for NaN and for an unranked item.

    The leading bits of y = 1 + (value - low) · per_unit determine the cell. Cells are equally wide up to y = 2, twice as wide up to
    y = 4, and so on. Each step of the computation keeps the order.
    """
    y = 1.0 + (value - spacing.low) * spacing.per_unit
    y = max(1.0, y)
    y = min(spacing.highest, y)
    cell = ((np.float64(y).view(np.int64) - ONE) >> spacing.shift) + 1
    return np.uint16(cell if (value == value) & is_ranked else 0)  # noqa: PLR0124 - NaN does not equal itself


@njit()
def mark_cells(chosen, cells):
    """Empty all cells, and mark those in which `deal_into_cells` should find the items."""
    cells.numbers[:] = 0
    for cell in chosen:
        cells.numbers[cell] = MARK
    cells.numbers[0] = 0


@njit(error_model="numpy")
def deal_into_cells(row, is_target, spacing, cells):
    """Put the targets into their cells, the other items into cell 0, and count them; return how many are in marked cells."""
    of, numbers, found = cells.of, cells.numbers, cells.found
    n_items, n_found, first = np.uint64(len(row)), np.uint64(0), np.uint64(0)
    while first < n_items:
        last = min(first + STRETCH, n_items)
        _set_cells(row[first:last], is_target[first:last], spacing, of[first:last])
        for eight in range(first >> _3, (last + _7) >> _3):
            prefetch(row, (eight << _3) + AHEAD)
            for item in range(eight << _3, (eight << _3) + _8):
                number = numbers[of[item]]
                numbers[of[item]] = number + np.uint32(1)
                # Avoid a branch, which would often be mispredicted: write every item; if it is not to be found, the next item
                # overwrites it.
                found[n_found] = item
                n_found += np.uint64(number >> _31)
        first = last
    _sum_up(cells)
    return n_found


@njit(error_model="numpy")
def _set_cells(values, is_ranked, spacing, of):
    # This loop is separate because the compiler can then vectorise it.
    for index in range(len(of)):
        of[index] = cell_of(values[index], is_ranked[index], spacing)


@njit()
def _sum_up(cells):
    numbers, higher = cells.numbers, cells.higher
    n_cells, n_higher = np.uint64(len(numbers)), np.uint32(0)
    for index in range(n_cells):
        cell = n_cells - _1 - index
        higher[cell] = n_higher
        # Marks end up in the first bit.
        n_higher = np.uint32(n_higher + numbers[cell])
