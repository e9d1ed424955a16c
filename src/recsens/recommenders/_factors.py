"""Scores as products of user factors and item factors."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.arrays import Floats, Ints
from recsens.data.interactions import Interactions
from recsens.plugins.frozen import frozen
from recsens.recommenders._compiled import compiled

_TILE = 256
"""Items handled together: their factors stay in the second-level cache while all users of a block are scored."""


def factor_scores(
    train: Interactions,
    users: Ints,
    user_factors: NDArray[np.floating[Any]],
    item_factors: NDArray[np.floating[Any]],
) -> Floats:
    """Return s(u, i) = p_u · q_i for some users and all items, shape (len(users), n_items).

    NaN for users and for items without train ratings. Every score is summed factor by factor in ascending order, in float64 and
    without BLAS, so it depends neither on the other users in the call nor on the processor.
    """
    scores = factor_products(user_factors[users], item_factors)
    scores[train.user_counts[users] == 0, :] = np.nan
    scores[:, train.item_counts == 0] = np.nan
    return scores


def factor_products(user_factors: NDArray[np.floating[Any]], item_factors: NDArray[np.floating[Any]]) -> Floats:
    """Return p_u · q_i for some users and all items, shape (n users, n_items), summed as `factor_scores` says."""
    products = np.zeros((len(user_factors), len(item_factors)))
    left = np.ascontiguousarray(user_factors, dtype=np.float64)
    # Read-only, whether copied or not: to the compiler, a writable array is another type.
    _add_products(frozen(left), frozen(np.ascontiguousarray(item_factors.T, dtype=np.float64)), products)
    return products


@compiled()
def _add_products(left: Floats, right: Floats, out: Floats) -> None:
    """Add ``left @ right`` to ``out``; the innermost loop runs over columns, so that no sum is ever reordered."""
    n_rows, n_factors = left.shape
    n_columns = right.shape[1]
    whole = n_factors - n_factors % 4
    for first in range(0, n_columns, _TILE):
        last = min(first + _TILE, n_columns)
        for row in range(n_rows):
            for f in range(0, whole, 4):
                a, b, c, d = left[row, f], left[row, f + 1], left[row, f + 2], left[row, f + 3]
                for column in range(first, last):
                    out[row, column] = (
                        ((out[row, column] + a * right[f, column]) + b * right[f + 1, column]) + c * right[f + 2, column]
                    ) + d * right[f + 3, column]
            for f in range(whole, n_factors):
                a = left[row, f]
                for column in range(first, last):
                    out[row, column] += a * right[f, column]
