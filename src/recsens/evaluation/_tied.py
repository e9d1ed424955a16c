"""Equal scores whose order decides a value."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recsens.errors import DataError
from recsens.evaluation._settings import Order, Ties

EXTREMES: tuple[Ties, Ties] = ("optimistic", "pessimistic")
"""The orders of equal scores between which all others lie."""

_SAME = 1e-12
"""Values that differ by no more differ by rounding."""


def decided(best: NDArray[np.float64], worst: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Say which values depend on the order of equal scores, given them under both extremes; NaN is the same as NaN."""
    return ~np.isclose(best, worst, rtol=_SAME, atol=_SAME, equal_nan=True)


def tie_matters(what: str, rank_by: Order, *, where: str | None) -> DataError:
    """Return the error of a value that the order of equal scores decides."""
    return DataError(
        f"{what} depends on the order of items with one {rank_by}, which is chance",
        where=where,
        remedy="choose an order with ties: item, given, pessimistic or optimistic",
    )
