"""Copies: analyses with different names but the same numbers, up to a constant factor. They count as evidence only once.

Examples are RR and AP, or P@10 and R@10 = 10 P@10, if users have a single relevant item; the two views, if all ranked items are
judged; and two thresholds of relevance, if the metric ignores relevance. Copies compare the same users with the same weights and,
up to a positive factor, the same differences. So all results of a test are the same too.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from recsens.outcomes.rounding import rounded

_SCALED = ("difference", "low", "high")
"""Results of a test that are proportional to the users' differences; they are compared as shares of the largest result."""

_NUMBERS = ("p_value", "p_adjusted")
"""Results that distinguish two tests, or two corrections, of the same differences; they are compared to ten significant digits."""

_SHARE_DECIMALS = 9
"""Number of decimals to which shares are compared, because later decimals may differ by rounding errors."""


def originals(
    rows: pd.DataFrame, pair: Sequence[str], gaps: NDArray[np.float64], signs: NDArray[np.float64], changes: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return, for each analysis, the index of the analysis with the same numbers and the fewest changes, perhaps itself.

    Numbers count as the same up to a constant positive factor: for users with one relevant item, P@10 is a tenth of R@10.

    Parameters
    ----------
    rows
        One row per analysis of a pair, with the digest of the users' relative differences and the results of the test.
    pair
        Columns that identify a pair of systems.
    gaps
        Difference of the two systems' values, shape (n,).
    signs
        1 if higher values of the metric are better, else -1; shape (n,).
    changes
        Number of decisions in which each analysis differs from the base, shape (n,).
    """
    same = rows[[*pair, "digest"]].reset_index(drop=True)
    same["sign"] = signs
    same = pd.concat([same, _shares(gaps, rows)], axis=1)
    for name in _NUMBERS:
        same[name] = [f"{value:.10g}" for value in rows[name]]
    order = np.lexsort((np.arange(len(rows)), changes))
    first = pd.Series(order, index=order).groupby([same.iloc[order][name] for name in same], sort=False, dropna=False)
    return np.asarray(first.transform("first").sort_index(), dtype=np.int64)


def _shares(gaps: NDArray[np.float64], rows: pd.DataFrame) -> pd.DataFrame:
    """Divide the difference, the estimate and the interval's ends by the largest of them, so that a constant factor cancels.

    An end at infinity, as of a bootstrap in which a single user differs, stays there.
    """
    sizes = np.column_stack([gaps, *(rows[name] for name in _SCALED)]).astype(np.float64)
    sizes[rounded(sizes) == 0] = 0.0
    largest = np.where(np.isfinite(sizes), np.abs(sizes), 0.0).max(axis=1)
    shares = np.round(sizes / np.where(largest > 0, largest, 1.0)[:, np.newaxis], _SHARE_DECIMALS) + 0.0
    return pd.DataFrame(shares, columns=["gap", *_SCALED])


def counted(analyses: int, distinct: int) -> str:
    """Write how many analyses there are, and how many are distinct: ``31 analyses, 22 distinct``."""
    noun = "analysis" if analyses == 1 else "analyses"
    return f"{analyses:,} {noun}" if distinct == analyses else f"{analyses:,} {noun}, {distinct:,} distinct"
