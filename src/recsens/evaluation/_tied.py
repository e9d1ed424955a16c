"""Ties in a run: equal scores whose order changes a value."""

import numpy as np
from numpy.typing import NDArray

from recsens.errors import DataError
from recsens.evaluation._settings import Order, Ties

EXTREMES: tuple[Ties, Ties] = ("optimistic", "pessimistic")
"""The two extreme orders of equal scores; all others lie between them."""

_SAME = 1e-12
"""Differences up to this are rounding."""


def decided(best: NDArray[np.float64], worst: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which values depend on the order of equal scores, given the values under both extremes; NaN equals NaN."""
    return ~np.isclose(best, worst, rtol=_SAME, atol=_SAME, equal_nan=True)


def tie_matters(what: str, rank_by: Order, *, where: str | None) -> DataError:
    """Return the error for a value that depends on the order of equal scores."""
    return DataError(
        f"{what} depends on the order of items with one {rank_by}, which is chance",
        where=where,
        remedy="choose an order with ties: item, given, pessimistic or optimistic",
    )
