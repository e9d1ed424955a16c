"""Look up systems by label, and find the users who count for several systems."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from recsens.comparison.aggregation._base import UserMeasures
from recsens.errors import DesignError, nearest


def rows_of(scores: UserMeasures, named: Sequence[str], where: str) -> list[int]:
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


def counted_with(scores: UserMeasures, rows: Sequence[int]) -> NDArray[np.bool_]:
    """Return, for each system, which users count for it and for all systems in ``rows``, shape (n_systems, n_users)."""
    return scores.counts & scores.counts[list(rows)].all(axis=0)
