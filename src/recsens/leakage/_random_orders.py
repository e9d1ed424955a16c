"""A metric under random orders of equal scores."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from recsens.leakage._material import Material, SearchedRun
from recsens.leakage._reading import CodedPairs
from recsens.leakage._sizes import Inflation

DRAWS = 40
"""Number of random orders of equal scores."""

_ENOUGH = 20
"""The mean over at least this many users is assumed to be normally distributed."""

_SAME = 1e-12

Keys = Literal["rows", "items"]
"""Whether random keys are drawn for each row, or for each item; keys of items are the same for all users."""


@dataclass(frozen=True)
class RandomOrders:
    """A run's means under random orders of equal scores: for each kind of sort keys, one mean per order, shape (DRAWS,).

    ``n_affected`` is the number of users whose value can change with the order of equal scores.
    """

    means: dict[Keys, NDArray[np.float64]]
    n_affected: int

    @classmethod
    def of(cls, material: Material, run: SearchedRun) -> RandomOrders | None:
        """Measure a run under random orders, only once for all detectors; None if the order of equal scores changes no value."""
        return material.once(("orders", run.name), lambda: cls._of(material, run))

    @classmethod
    def _of(cls, material: Material, run: SearchedRun) -> RandomOrders | None:
        pairs = material.within_reach(run.pairs)
        worst, best = (material.measured(pairs, material.test, ties=ties).values for ties in ("pessimistic", "optimistic"))
        affected = np.flatnonzero(np.abs(best - worst) > _SAME)
        if not len(affected):
            return None
        pairs, test = (rows.kept(np.isin(rows.user, affected)) for rows in (pairs, material.test))
        stream, settled, measure = material.stream.child("ties", run.name), material.given(run), material.measure(test)
        others = np.nansum(np.delete(settled.values, affected))

        def mean_by(sort: Keys, number: int) -> float:
            drawn = stream.child(sort, number).uniform(np.arange(len(pairs)) if sort == "rows" else pairs.item)
            return float(np.nansum(measure(in_order(pairs, drawn)).values) + others) / settled.n_users if measure else math.nan

        sorts: tuple[Keys, ...] = ("rows", "items")
        means = {sort: np.array([mean_by(sort, number) for number in range(DRAWS)]) for sort in sorts}
        return cls(means, len(affected))

    def chance(self, mean: float, *, is_common: bool, is_named: bool) -> float:
        """Return the probability that a random order changes the mean as much as the given order does.

        An order by name is compared with random orders that all users share. An order of rows is compared with random orders of
        rows. If rows may follow an order that all users share, such as popularity, the order of rows is compared with both kinds.
        The result is 1 if few users are affected, because the mean over few users is far from normal.
        """
        if self.n_affected < _ENOUGH:
            return 1.0
        by_row, by_item = (_two_sided(mean, self.means[sort]) for sort in ("rows", "items"))
        return by_item if is_named else max(by_row, by_item) if is_common else by_row

    def inflation(self, mean: float) -> Inflation:
        """Return a mean minus the mean over random orders of rows; the interval has the spread of a single order."""
        drawn = self.means["rows"]
        return Inflation.around(mean - float(drawn.mean()), float(drawn.std(ddof=1)) * math.sqrt(1 + 1 / len(drawn)))


def in_order(pairs: CodedPairs, drawn: NDArray[np.float64]) -> CodedPairs:
    """Replace scores by values without ties: rows are ordered by score, and rows with equal scores by the drawn keys."""
    order = np.lexsort((drawn, -pairs.value))
    value = np.empty(len(order))
    value[order] = -np.arange(len(order), dtype=np.float64)
    return pairs.with_value(value)


def _two_sided(mean: float, drawn: NDArray[np.float64]) -> float:
    """Return the two-sided p-value, by Student's t, of a mean that is treated as one more draw."""
    from scipy.special import stdtr  # noqa: PLC0415 - needed only if ties affect a value

    spread, far = float(drawn.std(ddof=1)) * math.sqrt(1 + 1 / len(drawn)), abs(mean - float(drawn.mean()))
    return 1.0 if far <= _SAME or spread == 0 else float(2 * stdtr(len(drawn) - 1, -far / spread))
