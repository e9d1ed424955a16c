"""A metric under random orders of equal scores."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recsens.runs.leakage._material import Material, SearchedRun
from recsens.runs.leakage._reading import CodedPairs
from recsens.runs.leakage._sizes import NORMAL, Inflation, UserValues, by_exchange
from recsens.seeds import Stream

DRAWS = 40
"""Number of random orders of equal scores."""

_BLOCKS = 200
"""Largest number of blocks of users; the users of a block are exchanged together, which saves time and memory."""

_STUDENT = 2.022691
"""The 97.5 % point of Student's t with one degree of freedom fewer than there are random orders."""

_SAME = 1e-12


@dataclass(frozen=True)
class RandomOrders:
    """A run under random orders of rows with equal scores.

    Attributes
    ----------
    means
        The mean under each order, shape (DRAWS,).
    spread
        The amount by which each user's value can change with the order, shape (n_users,).
    """

    means: NDArray[np.float64]
    spread: NDArray[np.float64]
    _sums: NDArray[np.float64]
    """The sum of the values of each block of users, shape (n_blocks, DRAWS)."""
    _block: NDArray[np.int64]
    """The block of each user whose value can change, shape (n_affected,)."""
    _stream: Stream

    @classmethod
    def of(cls, material: Material, run: SearchedRun) -> RandomOrders | None:
        """Measure a run under random orders, only once for all detectors; None if the order of equal scores changes no value."""
        return material.once(("orders", run.name), lambda: cls._draw_orders(material, run))

    @classmethod
    def _draw_orders(cls, material: Material, run: SearchedRun) -> RandomOrders | None:
        pairs = material.within_reach(run.pairs)
        worst, best = (material.measured(pairs, material.test, ties=ties).values for ties in ("pessimistic", "optimistic"))
        spread = np.nan_to_num(np.abs(best - worst))
        spread[spread <= _SAME] = 0
        affected = np.flatnonzero(spread)
        pairs, test = (rows.kept(np.isin(rows.user, affected)) for rows in (pairs, material.test))
        measure = material.measure(test) if len(affected) else None
        if measure is None:
            return None
        stream, settled = material.stream.child("ties", run.name), material.given(run)
        block = stream.child("blocks").generator().permutation(len(affected)) % _BLOCKS

        def sums(number: int) -> NDArray[np.float64]:
            drawn = stream.child("rows", number).uniform(np.arange(len(pairs)))
            return _sum_by_block(block, measure(in_order(pairs, drawn)).values[affected])

        drawn = np.stack([sums(number) for number in range(DRAWS)], axis=1)
        others = float(np.nansum(np.delete(settled.values, affected)))
        return cls((drawn.sum(axis=0) + others) / settled.n_users, spread, drawn, block, stream)

    def chance(self, given: UserValues) -> float:
        """Return the p-value of the values under the order of rows, if this order is random and independent for each user.

        Then a user's value under this order and the values under the random orders are exchangeable, and so are sums over a block
        of users.
        """
        sums = _sum_by_block(self._block, given.values[self.spread > 0])
        return by_exchange(np.column_stack([sums, self._sums]), self._stream.child("exchanges").generator())

    def inflation(self, mean: float) -> Inflation:
        """Return a mean minus the mean over random orders of rows; the interval (Student's t) has the spread of a single order."""
        error = float(self.means.std(ddof=1)) * math.sqrt(1 + 1 / DRAWS) * _STUDENT / NORMAL
        return Inflation.around(mean - float(self.means.mean()), error, len(self._block))


def in_order(pairs: CodedPairs, drawn: NDArray[np.float64]) -> CodedPairs:
    """Replace scores by values without ties: rows are ordered by score, and rows with equal scores by the drawn keys."""
    order = np.lexsort((drawn, -pairs.value))
    value = np.empty(len(order))
    value[order] = -np.arange(len(order), dtype=np.float64)
    return pairs.with_value(value)


def _sum_by_block(block: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add up the users' values in each block; users who are not averaged count 0."""
    return np.bincount(block, weights=np.nan_to_num(values)).astype(np.float64)
