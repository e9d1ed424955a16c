"""Compiled loops over the rows of a run, user by user."""

import numpy as np

from recsens.compiled.machine_code import njit


@njit()
def rows_by_group(code, starts, rows):
    """Fill ``rows`` with row numbers, group by group in ascending order; ``starts[g]`` is the index of the first row of group g."""
    free = starts[:-1].copy()
    for row in range(len(code)):
        rows[free[code[row]]] = row
        free[code[row]] += 1


@njit(inline="always")
def _row_at(rows, k):
    """Return the row at an index, or the index itself if ``rows`` is empty."""
    return rows[k] if len(rows) else k


@njit(inline="always")
def _note_items(rows, first, after, item, at):
    """Fill ``at`` with the index of each item. Return two indices with the same item, or -1 twice if there are none."""
    for k in range(first, after):
        i = item[_row_at(rows, k)]
        if at[i] >= first:
            return at[i], k
        at[i] = k
    return -1, -1


@njit()
def first_repeat(rows, starts, item, n_items):
    """Return two row numbers of the same group with the same item, or -1 twice if there are none."""
    at = np.full(n_items, -1, dtype=np.int64)
    for group in range(len(starts) - 1):
        before, again = _note_items(rows, starts[group], starts[group + 1], item, at)
        if before >= 0:
            return _row_at(rows, before), _row_at(rows, again)
    return -1, -1
