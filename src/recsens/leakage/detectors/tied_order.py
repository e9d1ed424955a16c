"""Ties that favour relevant items: equal scores in a suspicious order of item names or of rows."""

import math
from collections.abc import Iterator

import numpy as np

from recsens.leakage._material import Material, SearchedRun
from recsens.leakage._random_orders import DRAWS, RandomOrders
from recsens.leakage.suspicion import Suspicion

NAME = "order of equal scores"

_ROWS, _BY_NAME = "rows", "item name, descending"

_LEVEL = 0.05
"""The order of names can be reported instead of the order of rows only if its chance is at most this."""

_AGREE, _LEAST_MET = 0.6, 30
"""Rows may follow a common order if at least this share of repeated neighbours have the same order, or if too few are repeated."""


def look(material: Material) -> Iterator[Suspicion]:
    """Compare the order of names and the order of rows with random orders of equal scores.

    The size is measured for the order of rows, which the file has. It is measured for the order of names only if there is evidence
    against that order, and more evidence than against the order of rows. If two orders are harmless, the size of the more extreme
    one would be overstated.
    """
    for run in material.runs:
        orders = RandomOrders.of(material, run)
        if orders is None:
            yield Suspicion(NAME, run.name, "none", f"the order of equal scores changes no value of {material.label}")
            continue
        by_rows = material.measured(material.within_reach(run.pairs), material.test, ties="given").mean
        by_order = {_BY_NAME: material.given(run).mean, _ROWS: by_rows}
        common, (n, n_rising) = is_common_order(run, material.n_items), _rising(material, run)
        chances = {order: orders.chance(mean, is_common=common, is_named=order == _BY_NAME) for order, mean in by_order.items()}
        order = _BY_NAME if chances[_BY_NAME] < min(chances[_ROWS], _LEVEL) else _ROWS
        written = "; ".join(f"{mean:.4f} in the order of {each}" for each, mean in by_order.items())
        yield Suspicion(
            *(NAME, run.name, "none"),
            f"{written}; {orders.means['rows'].mean():.4f} under {DRAWS} random orders; of {n:,} neighbours with equal scores, "
            f"{n_rising:,} are in ascending order of their names",
            inflation=orders.inflation(by_order[order]),
            chance=min(1.0, len(chances) * min(chances.values())),
            innocent="names or rows follow popularity or age, as item numbers do in many data sets",
            remedy="break ties at random, or print the range of values: recsens evaluate",
        )


def is_common_order(run: SearchedRun, n_items: int) -> bool:
    """Whether neighbours with equal scores have the same order for many users, or the same neighbours occur too rarely to judge."""
    pairs = run.pairs
    tied = (np.diff(pairs.user) == 0) & (np.diff(pairs.value) == 0)
    before, after = pairs.item[:-1][tied], pairs.item[1:][tied]
    met = np.minimum(before, after) * n_items + np.maximum(before, after)
    _, code, n = np.unique(met, return_inverse=True, return_counts=True)
    n_rising = np.bincount(code.ravel(), weights=before < after, minlength=len(n))
    twice = (n * (n - 1)).sum()
    alike = (n_rising * (n_rising - 1) + (n - n_rising) * (n - n_rising - 1)).sum()
    return bool(twice < _LEAST_MET or alike >= _AGREE * twice)


def _rising(material: Material, run: SearchedRun) -> tuple[int, int]:
    """Count users' neighbouring rows with equal scores, and those with ascending names; numbers compare as numbers."""
    pairs = run.pairs
    tied = (np.diff(pairs.user) == 0) & (np.diff(pairs.value) == 0)
    rank = np.empty(material.n_items, dtype=np.int64)
    rank[sorted(range(material.n_items), key=lambda item: _sort_key(material.items[item]))] = np.arange(material.n_items)
    return int(tied.sum()), int((tied & (np.diff(rank[pairs.item]) > 0)).sum())


def _sort_key(name: str) -> tuple[float, str]:
    return (float(name), "") if name.isdecimal() else (math.inf, name)
