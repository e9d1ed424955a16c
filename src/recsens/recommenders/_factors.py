"""Factors of users and items: where they start, whether they stayed finite, and scores as their products."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.plugins import Plugin
from recsens.plugins.frozen import frozen
from recsens.recommenders import Floats, Ints, Reals
from recsens.recommenders._compiled import compiled
from recsens.seeds import Stream

_HALF_STEP = 2.0**-54
_LARGEST = 1.0 - 2.0**-53
_TILE = 256
"""Items handled together: their factors stay in the second-level cache while all users of a block are scored."""


def uniform_draws(keys: Ints, factors: int, rng: np.random.Generator) -> Floats:
    """Draw from U(0, 1), ends excluded, for each user or item and factor, shape (len(keys), factors).

    A row depends on its key alone: if a filter drops some users or items, the others start from the same values.
    """
    stream = Stream(int(rng.integers(2**63)))
    draws = stream.uniform(keys[:, np.newaxis], np.arange(factors)) + _HALF_STEP
    # Half a step above the largest draw would round to 1.
    return np.minimum(draws, _LARGEST)


def normal_draws(keys: Ints, factors: int, deviation: float, rng: np.random.Generator) -> Floats:
    """Draw from N(0, ``deviation``²) for each user or item and factor, as `uniform_draws` does, shape (len(keys), factors)."""
    return np.asarray(deviation * ndtri(uniform_draws(keys, factors, rng)))


def refuse_divergence(recommender: Plugin, parameters: Iterable[NDArray[Any]], remedy: str) -> None:
    """Refuse fitted parameters that are not finite.

    Raises DesignError if a parameter is infinite or NaN.
    """
    if not all(np.isfinite(each).all() for each in parameters):
        raise DesignError("fitting diverged: factors are not finite", where=f"recommender '{recommender.spec}'", remedy=remedy)


def factor_scores(train: Interactions, users: Ints, user_factors: Reals, item_factors: Reals) -> Floats:
    """Return s(u, i) = p_u · q_i for some users and all items, shape (len(users), n_items).

    NaN for users and for items without train ratings. Every score is summed factor by factor in ascending order, in float64 and
    without BLAS, so it depends neither on the other users in the call nor on the processor.
    """
    scores = factor_products(user_factors[users], item_factors)
    scores[train.user_counts[users] == 0, :] = np.nan
    scores[:, train.item_counts == 0] = np.nan
    return scores


def factor_products(user_factors: Reals, item_factors: Reals) -> Floats:
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
