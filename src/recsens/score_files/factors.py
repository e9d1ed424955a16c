"""User and item factors: s(u, i) = b + b_u + b_i + p_u · q_i."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.score_files._archive import NamedArrays, names_in
from recsens.score_files._forms import ScoreFile

ARRAYS = ("users", "items", "user_factors", "item_factors", "user_biases", "item_biases", "global_bias", "combine")
"""The arrays of this form; biases and ``combine`` may be missing."""


def read(arrays: NamedArrays) -> ScoreFile:
    """Read factors, and biases if the file has them; all values must be finite, and small enough for finite scores.

    Raises DataError if an array is missing, damaged or invalid.
    """
    users, items = names_in(arrays, "users"), names_in(arrays, "items")
    user_factors = arrays.finite("user_factors", (len(users), None))
    found = {"user_factors": user_factors, "item_factors": arrays.finite("item_factors", (len(items), user_factors.shape[1]))}
    for name, shape in (("user_biases", (len(users),)), ("item_biases", (len(items),)), ("global_bias", ())):
        if name in arrays.names:
            found[name] = arrays.finite(name, shape)
    arrays.refuse_overflow(_largest_score(found), found)
    arrays.word("combine", ("dot",), default="dot")
    return ScoreFile(arrays.source, "factors", users, items, found)


def _largest_score(found: Mapping[str, NDArray[Any]]) -> float:
    """Return a size that no score exceeds: the products of the largest sizes in each column, and the largest biases."""
    most = {name: np.atleast_1d(_most(array)) for name, array in found.items()}
    with np.errstate(over="ignore"):
        products = (most["user_factors"] * most["item_factors"]).sum()
        return float(products + sum(size[0] for name, size in most.items() if not name.endswith("factors")))


def _most(array: NDArray[Any]) -> NDArray[np.float64]:
    """Return the largest size in each column."""
    rows = np.atleast_1d(array)
    highest, lowest = (end(rows, axis=0, initial=0).astype(np.float64) for end in (np.max, np.min))
    sizes: NDArray[np.float64] = np.maximum(highest, -lowest)
    return sizes
