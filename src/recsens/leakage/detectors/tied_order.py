"""Equal scores whose order, by item name or by rows, favours relevant items."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from recsens.leakage._material import Material, SearchedRun
from recsens.leakage._reading import CodedPairs
from recsens.leakage._sizes import Inflation
from recsens.leakage.suspicion import Suspicion

NAME = "order of equal scores"

_DRAWS = 40
"""Random orders of equal scores."""

_ENOUGH = 20
"""Users from which on a mean is taken for normal."""

_SAME = 1e-12

_BY_NAME = "item name, descending"

_AGREE, _LEAST_MET = 0.6, 30
"""Share of repeated neighbours in the same order from which on rows may follow a common one, and how many are needed to say so."""

Keys = Literal["rows", "items"]
"""Whether every row has a random key, or every item the same one for all users."""


@dataclass(frozen=True)
class RandomOrders:
    """A run's mean under random orders of equal scores: one mean for each order, by either sort of keys, shape (_DRAWS,).

    ``n_affected`` is the number of users whose value the order of equal scores may change.
    """

    means: dict[Keys, NDArray[np.float64]]
    n_affected: int

    @classmethod
    def of(cls, material: Material, run: SearchedRun) -> RandomOrders | None:
        """Measure a run under random orders; None if the order of equal scores changes no value."""
        worst, best = (material.measured(run.pairs, material.test, ties=ties).values for ties in ("pessimistic", "optimistic"))
        affected = np.flatnonzero(np.abs(best - worst) > _SAME)
        if not len(affected):
            return None
        pairs, test = (rows.kept(np.isin(rows.user, affected)) for rows in (run.pairs, material.test))
        stream, settled = material.stream.child("ties", run.name), material.given(run)
        others = np.nansum(np.delete(settled.values, affected))

        def mean_by(sort: Keys, number: int) -> float:
            drawn = stream.child(sort, number).uniform(np.arange(len(pairs)) if sort == "rows" else pairs.item)
            return float(np.nansum(material.measured(_reordered(pairs, drawn), test).values) + others) / settled.n_users

        sorts: tuple[Keys, ...] = ("rows", "items")
        means = {sort: np.array([mean_by(sort, number) for number in range(_DRAWS)]) for sort in sorts}
        return cls(means, len(affected))

    def chance(self, mean: float, *, is_common: bool, is_named: bool) -> float:
        """Return how likely a random order moves the mean as far as another order does.

        An order by name is compared with other orders that all users share, one of rows with orders of rows; and with both if
        rows may follow an order that all users share, by popularity, say. Means over few users are far from normal: 1 for them.
        """
        if self.n_affected < _ENOUGH:
            return 1.0
        by_row, by_item = (_two_sided(mean, self.means[sort]) for sort in ("rows", "items"))
        return by_item if is_named else max(by_row, by_item) if is_common else by_row

    def inflation(self, mean: float) -> Inflation:
        """Return by how much a mean exceeds that under keys by row, with the spread of a single order."""
        drawn = self.means["rows"]
        return Inflation.around(mean - float(drawn.mean()), float(drawn.std(ddof=1)) * math.sqrt(1 + 1 / len(drawn)))


def random_orders(material: Material, run: SearchedRun) -> RandomOrders | None:
    """Measure a run under random orders, once for all detectors."""
    return material.once(("orders", run.name), lambda: RandomOrders.of(material, run))


def look(material: Material) -> Iterator[Suspicion]:
    """Compare the order of names, and of rows, with random orders of equal scores."""
    for run in material.runs:
        orders = random_orders(material, run)
        if orders is None:
            yield Suspicion(NAME, run.name, "none", f"the order of equal scores changes no value of {material.label}")
            continue
        by_order = {
            _BY_NAME: material.given(run).mean,
            "rows": material.measured(run.pairs, material.test, ties="given").mean,
        }
        common = is_common_order(material, run)
        chances = {order: orders.chance(mean, is_common=common, is_named=order == _BY_NAME) for order, mean in by_order.items()}
        order = min(chances, key=lambda each: (chances[each], -abs(by_order[each] - float(orders.means["rows"].mean()))))
        n, n_rising = _rising(material, run)
        written = "; ".join(f"{mean:.4f} in the order of {each}" for each, mean in by_order.items())
        yield Suspicion(
            *(NAME, run.name, "none"),
            f"{written}; {orders.means['rows'].mean():.4f} under {_DRAWS} random orders; of {n:,} neighbours with equal scores, "
            f"{n_rising:,} stand in ascending order of their names",
            inflation=orders.inflation(by_order[order]),
            chance=min(1.0, len(chances) * chances[order]),
            innocent="names or rows that follow popularity or age, as the numbers of many data sets do",
            remedy="break equal scores at random, or print the range: recsens evaluate",
        )


def is_common_order(material: Material, run: SearchedRun) -> bool:
    """Whether neighbours with equal scores stand in the same order for many users, or meet too seldom to say."""
    pairs = run.pairs
    tied = (np.diff(pairs.user) == 0) & (np.diff(pairs.value) == 0)
    before, after = pairs.item[:-1][tied], pairs.item[1:][tied]
    met = np.minimum(before, after) * material.n_items + np.maximum(before, after)
    _, code, n = np.unique(met, return_inverse=True, return_counts=True)
    n_rising = np.bincount(code.ravel(), weights=before < after, minlength=len(n))
    twice = (n * (n - 1)).sum()
    alike = (n_rising * (n_rising - 1) + (n - n_rising) * (n - n_rising - 1)).sum()
    return bool(twice < _LEAST_MET or alike >= _AGREE * twice)


def _reordered(pairs: CodedPairs, drawn: NDArray[np.float64]) -> CodedPairs:
    """Give rows values without ties, in the order of the scores and, where these are equal, of drawn keys."""
    order = np.lexsort((drawn, -pairs.value))
    value = np.empty(len(order))
    value[order] = -np.arange(len(order), dtype=np.float64)
    return pairs.with_value(value)


def _two_sided(mean: float, drawn: NDArray[np.float64]) -> float:
    """Return the p-value of a mean among draws, by Student's t for one further draw."""
    from scipy.special import stdtr  # noqa: PLC0415 - only a run with ties that matter waits for it

    spread, far = float(drawn.std(ddof=1)) * math.sqrt(1 + 1 / len(drawn)), abs(mean - float(drawn.mean()))
    return 1.0 if far <= _SAME or spread == 0 else float(2 * stdtr(len(drawn) - 1, -far / spread))


def _rising(material: Material, run: SearchedRun) -> tuple[int, int]:
    """Count neighbouring rows of a user with equal scores, and those of them whose names ascend (numbers as numbers)."""
    pairs = run.pairs
    tied = (np.diff(pairs.user) == 0) & (np.diff(pairs.value) == 0)
    rank = np.empty(material.n_items, dtype=np.int64)
    rank[sorted(range(material.n_items), key=lambda item: _sort_key(material.items[item]))] = np.arange(material.n_items)
    return int(tied.sum()), int((tied & (np.diff(rank[pairs.item]) > 0)).sum())


def _sort_key(name: str) -> tuple[float, str]:
    return (float(name), "") if name.isdecimal() else (math.inf, name)
