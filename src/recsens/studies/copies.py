"""Copies: analyses with the same numbers under two names, which are evidence once.

RR and AP of a single relevant item, the two views where everything ranked is judged, or a threshold that a metric ignores: the
users compared, their differences and their weights are the same, and so is all that is said of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

_NUMBERS = ("low", "high", "p_value", "p_adjusted")
"""What two tests, or corrections, say of the same differences; ten digits of it tell two numbers from one."""

_DECIMALS = 12
"""Differences of values that differ further right differ by rounding alone."""


def originals(
    rows: pd.DataFrame, pair: Sequence[str], gaps: NDArray[np.float64], signs: NDArray[np.float64], changes: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Find for each analysis the first one with the same numbers, of those that change least; its own place where it is the one.

    Parameters
    ----------
    rows
        One row an analysis of a pair, with the digest of the users' differences and what the test says of them.
    pair
        Columns that tell pairs of systems apart.
    gaps
        Difference of the two systems' values, shape (n,).
    signs
        1 where more of the metric is better, else -1; shape (n,).
    changes
        In how many decisions each analysis leaves the base, shape (n,).
    """
    same = rows[[*pair, "digest"]].reset_index(drop=True)
    same["gap"], same["sign"] = np.round(gaps, _DECIMALS) + 0.0, signs
    for name in _NUMBERS:
        same[name] = [f"{value:.10g}" for value in rows[name]]
    order = np.lexsort((np.arange(len(rows)), changes))
    first = pd.Series(order, index=order).groupby([same.iloc[order][name] for name in same], sort=False, dropna=False)
    return np.asarray(first.transform("first").sort_index(), dtype=np.int64)


def counted(analyses: int, distinct: int) -> str:
    """Say how many analyses there are, and how many of them are no copies: ``31 analyses, 22 distinct``."""
    noun = "analysis" if analyses == 1 else "analyses"
    return f"{analyses:,} {noun}" if distinct == analyses else f"{analyses:,} {noun}, {distinct:,} distinct"
