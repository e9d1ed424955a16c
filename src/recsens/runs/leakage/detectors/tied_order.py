"""Ties that favour relevant items: equal scores in a suspicious order of item names or of rows."""

import math
from collections.abc import Iterator

import numpy as np

from recsens.runs.leakage._common_orders import chance_if_common
from recsens.runs.leakage._material import Material, SearchedRun
from recsens.runs.leakage._random_orders import DRAWS, RandomOrders
from recsens.runs.leakage._sizes import UserValues
from recsens.runs.leakage.suspicion import Suspicion

NAME = "order of equal scores"

_ROWS, _BY_NAME = "rows", "item name, descending"

_LEVEL = 0.001
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
        by_rows = material.measured(material.within_reach(run.pairs), material.test, ties="given")
        means = {_BY_NAME: material.given(run).mean, _ROWS: by_rows.mean}
        chances = _chances(material, run, orders, by_rows)
        order = _BY_NAME if chances[_BY_NAME] < min(chances[_ROWS], _LEVEL) else _ROWS
        written = "; ".join(f"{mean:.4f} in the order of {each}" for each, mean in means.items())
        n, n_rising = _rising(material, run)
        yield Suspicion(
            *(NAME, run.name, "none"),
            f"{written}; {orders.means.mean():.4f} under {DRAWS} random orders; of {n:,} neighbours with equal scores, "
            f"{n_rising:,} are in ascending order of their names",
            inflation=orders.inflation(means[order]),
            chance=min(1.0, len(chances) * min(chances.values())),
            innocent="names or rows follow popularity or age, as item numbers do in many data sets",
            remedy="break ties at random, or print the range of values: recsens evaluate",
        )


def _chances(material: Material, run: SearchedRun, orders: RandomOrders, by_rows: UserValues) -> dict[str, float]:
    """Return the p-values of the order of names and of the order of rows.

    The order of names is compared with random orders that all users share. The order of rows is compared with random orders for
    each user. If rows may follow an order that all users share, such as popularity, the order of rows is compared with both kinds,
    and the larger p-value counts.
    """
    of_rows = orders.chance(by_rows)
    if is_common_order(run, material.n_items):
        of_rows = max(of_rows, chance_if_common(material, run, orders.spread, is_named=False))
    return {_BY_NAME: chance_if_common(material, run, orders.spread, is_named=True), _ROWS: of_rows}


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
    rank = np.argsort(sorted(range(material.n_items), key=lambda item: _sort_key(material.items[item])))
    return int(tied.sum()), int((tied & (np.diff(rank[pairs.item]) > 0)).sum())


def _sort_key(name: str) -> tuple[float, str]:
    return (float(name), "") if name.isdecimal() else (math.inf, name)
