"""Judged rows near the top, and sums over them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from recsens.metrics._kernels import add_down, first_reaching


@dataclass(frozen=True)
class Near:
    """Rows at or above the deepest of some cut-offs.

    Attributes
    ----------
    rows
        Their numbers among all judged rows, ascending, shape (n_near,).
    user
        User of each, ascending, shape (n_near,).
    column
        First cut-off that reaches each, by their ascending order, shape (n_near,).
    order
        Where each cut-off, by their ascending order, was asked for, shape (n_cutoffs,).
    """

    rows: NDArray[np.int64]
    user: NDArray[np.int32]
    column: NDArray[np.int32]
    order: NDArray[np.int64]

    @classmethod
    def of(cls, ranked: NDArray[np.int64], user: NDArray[np.int32], position: NDArray[np.int64], cutoffs: tuple[int, ...]) -> Near:
        """Look for them among the ranked rows, whose numbers ascend; user and position of each judged row, shape (n,)."""
        bounds = np.asarray(cutoffs)
        order = np.argsort(bounds)
        rows = ranked[position[ranked] <= bounds[order[-1]]]
        column = np.empty(len(rows), dtype=np.int32)
        first_reaching(bounds[order], position[rows], column)
        return cls(rows, user[rows], column, order)

    def only(self, kept: NDArray[np.bool_]) -> Near:
        """Keep some of all judged rows."""
        own = np.flatnonzero(kept[self.rows])
        return replace(self, rows=self.rows[own], user=self.user[own], column=self.column[own])

    def sum_down(self, values: NDArray[np.float64], n_users: int) -> NDArray[np.float64]:
        """Sum values of the rows, shape (n_near,), down to each cut-off, shape (n_users, n_cutoffs)."""
        sums = np.empty((n_users, len(self.order)))
        add_down(self.user, self.column, values, self.order, sums)
        return sums
