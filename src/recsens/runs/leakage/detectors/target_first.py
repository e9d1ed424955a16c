"""Relevant items in the first row of a user's candidates."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from recsens.runs.leakage._chances import at_least
from recsens.runs.leakage._material import Material, SearchedRun
from recsens.runs.leakage._random_orders import RandomOrders
from recsens.runs.leakage._reading import CodedPairs
from recsens.runs.leakage._sizes import Inflation
from recsens.runs.leakage.suspicion import Suspicion

NAME = "target first among candidates"


def look(material: Material) -> Iterator[Suspicion]:
    """Compare the number of users with a relevant item in the first row with the number expected in files without the fault.

    It is expected either that rows are in random order, or that they are in an order that all users share, such as popularity. The
    larger of the two numbers counts.
    """
    for run in material.runs:
        rows, first, is_target = _unsorted(material, run)
        if not is_target.any():
            said = "every user's rows are sorted by score, so their order shows nothing more"
            yield Suspicion(NAME, run.name, "not told", said if not len(rows) else "no list has a relevant item")
            continue
        n_users, n_first = len(np.unique(rows.user)), int((first & is_target).sum())
        expected = _expected(rows, first, is_target)
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
    """Return the rows of users whose rows are not sorted by score.

    Also return whether each row is its user's first, and whether its item is relevant.
    """
    order = np.argsort(run.pairs.user, kind="stable")
    pairs = run.pairs.kept(order)
    rises = (np.diff(pairs.value) > 0) & (np.diff(pairs.user) == 0)
    rows = pairs.kept(np.isin(pairs.user, pairs.user[1:][rises]))
    return rows, np.diff(rows.user, prepend=-1) != 0, material.hits(rows)


def _expected(rows: CodedPairs, first: NDArray[np.bool_], is_target: NDArray[np.bool_]) -> float:
    """Return the expected number of users with a relevant item in the first row: the larger number under two clean orders."""
    user = np.unique(rows.user, return_inverse=True)[1].ravel()
    return max(_if_random(user, rows.value, is_target), _if_common(user, rows.item, first, is_target))


def _if_random(user: NDArray[np.int64], value: NDArray[np.float64], is_target: NDArray[np.bool_]) -> float:
    """Return the expected number if each user's rows are in random order, given that they are not sorted by score.

    If a share q of a user's rows is relevant, a random first row is relevant with probability q. A random order is sorted with a
    probability s, the product of the factorials of the numbers of equal scores, divided by n! for n rows. Then the first row is one
    of the best, and a share b of these is relevant. So the probability is (q - s b) / (1 - s).
    """
    from scipy.special import gammaln  # noqa: PLC0415 - not needed to read files

    order = np.lexsort((-value, user))
    user, value, is_target = user[order], value[order], is_target[order]
    starts = np.flatnonzero((np.diff(user, prepend=-1) != 0) | (np.diff(value, prepend=np.nan) != 0))
    owner, n_equal, n = user[starts], np.diff(np.append(starts, len(user))), np.bincount(user)
    is_sorted = np.exp(np.bincount(owner, weights=gammaln(n_equal + 1)) - gammaln(n + 1))
    of_best = (np.add.reduceat(is_target, starts, dtype=np.float64) / n_equal)[np.diff(owner, prepend=-1) != 0]
    share = np.bincount(user, weights=is_target) / n
    return float(((share - is_sorted * of_best) / (1 - is_sorted)).sum())


def _if_common(user: NDArray[np.int64], item: NDArray[np.int64], first: NDArray[np.bool_], is_target: NDArray[np.bool_]) -> float:
    """Return the expected number if the items in first rows are relevant as often as for other users.

    An item is relevant in proportion to the share of relevant rows of the user. If all users have the same share, this is the
    expected number of Mantel & Haenszel, with a stratum for each item.
    """
    share = (np.bincount(user, weights=is_target) / np.bincount(user))[user]
    n_relevant, total = (np.bincount(item, weights=weights) for weights in (is_target, share))
    return float(np.minimum(1.0, share[first] * n_relevant[item[first]] / np.maximum(total[item[first]], 1e-300)).sum())
