"""The judged items near the top of rankings, and sums over these items."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from recsens.arrays import Bools, Floats, Ids, Ints
from recsens.compiled.machine_code import plain_if_few
from recsens.metrics._kernels import add_down, first_reaching


@dataclass(frozen=True)
class Near:
    """The judged items at or above the deepest of some cut-offs.

    Attributes
    ----------
    rows
        Row numbers of these items among all judged items, ascending, shape (n_near,).
    user
        User of each row, ascending, shape (n_near,).
    column
        Index, among the sorted cut-offs, of the first cut-off that reaches each row, shape (n_near,).
    order
        Index of each sorted cut-off among the unsorted cut-offs, shape (n_cutoffs,).
    """

    rows: Ints
    user: Ids
    column: Ids
    order: Ints

    @classmethod
    def of(cls, ranked: Ints, user: Ids, position: Ints, cutoffs: tuple[int, ...]) -> Near:
        """Select the ranked rows at or above the deepest cut-off.

        ``ranked`` has the numbers of the ranked rows, ascending; ``user`` and ``position`` have a value for each judged item.
        """
        bounds = np.asarray(cutoffs)
        order = np.argsort(bounds)
        rows = ranked[position[ranked] <= bounds[order[-1]]]
        column = np.empty(len(rows), dtype=np.int32)
        plain_if_few(first_reaching, len(rows))(bounds[order], position[rows], column)
        return cls(rows, user[rows], column, order)

    def only(self, kept: Bools) -> Near:
        """Keep the rows that a mask over all judged items selects."""
        own = np.flatnonzero(kept[self.rows])
        return replace(self, rows=self.rows[own], user=self.user[own], column=self.column[own])

    def sum_down(self, values: Floats, n_users: int) -> Floats:
        """Sum values of the rows, shape (n_near,), down to each cut-off, shape (n_users, n_cutoffs)."""
        sums = np.empty((n_users, len(self.order)))
        plain_if_few(add_down, len(values) + n_users)(self.user, self.column, values, self.order, sums)
        return sums
