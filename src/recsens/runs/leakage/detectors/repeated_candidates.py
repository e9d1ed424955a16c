"""Candidates that a run ranks twice for one user."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from recsens.runs.leakage._material import Material, SearchedRun, share
from recsens.runs.leakage._random_orders import in_order
from recsens.runs.leakage._reading import CodedPairs, keys
from recsens.runs.leakage._sizes import NORMAL, UNKNOWN, Inflation, UserValues
from recsens.runs.leakage.suspicion import Suspicion

NAME = "candidates drawn with repetition"

_ORDERS = 10
"""Number of random orders of equal scores."""


def look(material: Material) -> Iterator[Suspicion]:
    """Count rows that repeat a pair, and measure with a separate position for each repetition, as programs without a check do."""
    for run in material.runs:
        n_repeats = len(run.as_written) - len(run.pairs)
        evidence = f"{share(n_repeats, len(run.as_written))} rows of the run repeat a pair of user and item"
        if not n_repeats:
            yield Suspicion(NAME, run.name, "none", evidence)
            continue
        yield Suspicion(
            *(NAME, run.name, "found", f"{evidence}; all other detectors count each pair once, with its best value"),
            inflation=_inflation(material, run),
            innocent="a file that was written twice, or that joins several folds",
            remedy="draw candidates without replacement, and write each pair once",
        )


def _inflation(material: Material, run: SearchedRun) -> Inflation:
    """Return the value with repetitions minus the value without, averaged over random orders of equal scores.

    A repetition has the same score as the first row of its pair, so their order is random instead of following from names. The
    interval covers the variation between users and between orders.
    """
    rows, items, is_again = _told_apart(material, run)
    measure = material.measure(material.test)
    if measure is None:
        return UNKNOWN
    stream, gains = material.stream.child("again", run.name), []
    for number in range(_ORDERS):
        values = in_order(rows, stream.uniform(number, np.arange(len(rows))))
        gains.append(measure(values, items).values - measure(values.kept(~is_again), items).values)
    of_users = UserValues(np.mean(gains, axis=0))
    over_users = of_users.less(UserValues(np.where(of_users.is_counted, 0.0, np.nan)))
    spread = float(np.nanmean(gains, axis=1).std(ddof=1)) * math.sqrt(1 + 1 / _ORDERS)
    return over_users.widened(NORMAL * spread)


def _told_apart(material: Material, run: SearchedRun) -> tuple[CodedPairs, list[str], NDArray[np.bool_]]:
    """Rename every repetition that the metric may read to an unjudged item; also return which rows are repetitions."""
    lowest = np.full(len(material.users), np.inf)
    within = material.within_reach(run.pairs)
    np.minimum.at(lowest, within.user, within.value)
    rows = run.as_written.kept(run.as_written.value >= lowest[run.as_written.user])
    pair = keys(rows, material.n_items)
    order = np.lexsort((np.arange(len(rows)), -rows.value, pair))
    is_again = np.zeros(len(rows), dtype=np.bool_)
    is_again[order] = np.diff(pair[order], prepend=-1) == 0
    item = rows.item.copy()
    n = int(is_again.sum())
    item[is_again] = material.n_items + np.arange(n)
    return CodedPairs(rows.user, item, rows.value), [*material.items, *(f"repetition {number}" for number in range(n))], is_again
