"""Weighted means over users, effective numbers of users, and standard deviations."""

from collections.abc import Sequence

import numpy as np

from recsens.arrays import Bools, Floats
from recsens.comparison.aggregation._base import UserMeasures
from recsens.errors import DesignError, nearest


def system_rows(scores: UserMeasures, named: Sequence[str], where: str) -> list[int]:
    """Return the rows of some systems.

    Raises DesignError if a label names no system.
    """
    unknown = next((name for name in named if name not in scores.systems), None)
    if unknown is not None:
        raise DesignError(
            f"'{unknown}' is not one of the systems{nearest(unknown, scores.systems)}",
            where=where,
            allowed=", ".join(scores.systems),
        )
    return [scores.systems.index(name) for name in named]


def users_counted_with(scores: UserMeasures, rows: Sequence[int]) -> Bools:
    """Return, for each system, which users count for it and for all systems in ``rows``, shape (n_systems, n_users)."""
    return scores.counts & scores.counts[list(rows)].all(axis=0)


_ROUNDING = 1e-12
"""If the difference of two values, relative to the largest value, is at most this number, it is due to rounding."""


def weighted_user_means(values: Floats, counts: Bools, weights: Floats) -> Floats:
    """Average each row over its counted users, Σ w_u m_u / Σ w_u; NaN if the weights sum to 0.

    ``values`` and ``counts`` have shape (n_systems, n_users), ``weights`` (n_users,).
    """
    # Sum only over the users who count, because adding zeros for the other users would change the last bits of a mean.
    means = np.full(len(values), np.nan)
    for row, (value, mask) in enumerate(zip(values, counts, strict=True)):
        weight = weights[mask]
        total = weight.sum()
        if total > 0:
            means[row] = (weight * value[mask]).sum() / total
    return means


def effective_number(weights: Floats) -> float:
    """Return the effective number of users, n_eff = (Σ w_u)² / Σ w_u²: this many equally weighted users would be as informative.

    It lies between 1 and the number of users, and is 0 if no weight is above 0.

    Parameters
    ----------
    weights
        Weight of each averaged user, shape (n_users,), >= 0.

    References
    ----------
    Kish (1965), Survey Sampling, section 11.7.

    Examples
    --------
    >>> effective_number(np.array([3.0, 1.0])), effective_number(np.array([2.0, 2.0, 0.0]))
    (1.6, 2.0)
    """
    kept = weights[weights > 0]
    # Equal weights must give the exact number of users; the formula could give 942.9999999.
    return float(len(kept)) if len(kept) == 0 or np.ptp(kept) == 0 else float(kept.sum() ** 2 / (kept**2).sum())


def standard_deviations(values: Floats) -> Floats:
    """Return the sample standard deviation (ddof 1) along the first axis; 0 for equal values, a single value, or no values.

    Values that differ only by rounding are treated as equal, because division by their deviation would give noise.
    """
    if len(values) < 2:
        return np.zeros(values.shape[1:])
    alike = np.ptp(values, axis=0) <= _ROUNDING * np.abs(values).max(axis=0)
    return np.where(alike, 0.0, values.std(axis=0, ddof=1))
