"""Sums of weighted rows of which most entries are stored: filled up with zeros, they are added several entries at a time."""

import numpy as np

from recsens.plugins.frozen import frozen
from recsens.recommenders import Floats, Ints
from recsens.recommenders._compiled import compiled
from recsens.recommenders._products import WIDTH, empty_panel, set_sums_of_rows
from recsens.recommenders._rows import Rows

_SHARE = 1 / 16
"""Least share of stored entries for which this is faster than adding only these, one by one."""


def is_filled(rows: Rows, n_columns: int) -> bool:
    """Return whether enough entries are stored for `sums_of_filled_rows` to be fast."""
    return len(rows.indices) > _SHARE * n_columns * (len(rows.indptr) - 1)


def sums_of_filled_rows(users: Ints, weights: Rows, rows: Rows, n_items: int) -> Floats:
    """Return s(u, i) = Σ_{j in W_u} w_uj x_ji, as `sums_of_rows` does, but with x_ji = 0 where no x_ji is stored.

    Columns are filled up a panel at a time, for all of these users, so there is never a copy of all rows in memory.
    """
    scores = np.empty((len(users), n_items))
    _add_panels(frozen(users), weights.frozen(), rows.frozen(), scores)
    return scores


@compiled()
def _add_panels(users: Ints, weights: Rows, rows: Rows, scores: Floats) -> None:
    panel, sums, unread = empty_panel(len(rows.indptr) - 1, WIDTH), np.empty(WIDTH), rows.indptr[:-1].copy()
    for first in range(0, scores.shape[1], WIDTH):
        _fill(rows, first, unread, panel)
        _set_sums(users, weights, panel, first, sums, scores)


@compiled(allocates=False)
def _fill(rows: Rows, first: int, unread: Ints, panel: Floats) -> None:
    """Set the panel to the columns from ``first`` on; ``unread`` is, for each row, its first entry that no panel has contained."""
    panel[:] = 0.0
    for row in range(len(unread)):
        nth = unread[row]
        while nth < rows.indptr[row + 1] and rows.indices[nth] < first + WIDTH:
            panel[row, rows.indices[nth] - first] = rows.values[nth]
            nth += 1
        unread[row] = nth


@compiled(allocates=False)
def _set_sums(users: Ints, weights: Rows, panel: Floats, first: int, sums: Floats, scores: Floats) -> None:
    width = min(WIDTH, scores.shape[1] - first)
    for index in range(len(users)):
        start, end = weights.indptr[users[index]], weights.indptr[users[index] + 1]
        set_sums_of_rows(weights.indices[start:end], weights.values[start:end], panel, sums)
        for column in range(width):
            scores[index, first + column] = sums[column]
