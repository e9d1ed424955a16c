"""Relevant items in the first row of a user's candidates."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from recsens.leakage._material import Material, SearchedRun
from recsens.leakage._random_orders import RandomOrders
from recsens.leakage._reading import CodedPairs
from recsens.leakage._sizes import Inflation
from recsens.leakage._tails import at_least
from recsens.leakage.suspicion import Suspicion

NAME = "target first among candidates"


def look(material: Material) -> Iterator[Suspicion]:
    """Compare how often an item is in the first row of users for whom it is relevant, and in the first row of all other users."""
    for run in material.runs:
        rows, first, is_target = _unsorted(material, run)
        if not is_target.any():
            said = "every user's rows are sorted by score, so their order shows nothing more"
            yield Suspicion(NAME, run.name, "not told", said if not len(rows) else "no list has a relevant item")
            continue
        n_users, n_first = len(np.unique(rows.user)), int((first & is_target).sum())
        expected = _expected(rows.item, first, is_target)
        orders = RandomOrders.of(material, run)
        given = material.measured(run.pairs, material.test, ties="given").mean if orders else material.given(run).mean
        moved = f"{given:.4f} with equal scores in the order of rows" if orders else "no value depends on the order of equal scores"
        yield Suspicion(
            *(NAME, run.name, "none"),
            f"for {n_first:,} of {n_users:,} users, the first row is a relevant item (expected: {expected:.1f}); {moved}",
            inflation=orders.inflation(given) if orders else Inflation.exactly(0.0),
            chance=at_least(n_first, expected),
            innocent="candidates written in a fixed order, with scores that are never equal",
            remedy="shuffle the candidates before scoring, and break ties at random",
        )


def _unsorted(material: Material, run: SearchedRun) -> tuple[CodedPairs, NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the rows of users without a sort by score, whether each row is its user's first, and whether it is relevant."""
    order = np.argsort(run.pairs.user, kind="stable")
    pairs = run.pairs.kept(order)
    rises = (np.diff(pairs.value) > 0) & (np.diff(pairs.user) == 0)
    rows = pairs.kept(np.isin(pairs.user, pairs.user[1:][rises]))
    return rows, np.diff(rows.user, prepend=-1) != 0, material.hits(rows)


def _expected(item: NDArray[np.int64], first: NDArray[np.bool_], is_target: NDArray[np.bool_]) -> float:
    """Return the expected number of relevant items in first rows if relevance made no difference (Mantel & Haenszel)."""
    n, n_first, n_targets = (np.bincount(item, weights=weights) for weights in (None, first, is_target))
    listed = n > 0
    return float((n_first[listed] * n_targets[listed] / n[listed]).sum())
