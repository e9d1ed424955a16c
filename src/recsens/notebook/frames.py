"""Convert arrays of recsens to data-frame columns, with raw user and item names."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from recsens.data.interactions import Interactions
from recsens.vocabulary import State


def names_of(ids: NDArray[np.object_] | None, n: int) -> NDArray[np.object_]:
    """Return user or item names by code, shape (n,); if the data have no names, return the codes as text."""
    return np.array([str(code) for code in range(n)], dtype=np.object_) if ids is None else ids


def describe_interactions(interactions: Interactions) -> str:
    """Say how many interactions, users and items there are; users and items without interactions are not counted."""
    numbers = {
        "interaction": len(interactions),
        "user": int(np.count_nonzero(interactions.user_counts)),
        "item": int(np.count_nonzero(interactions.item_counts)),
    }
    return ", ".join(f"{n:,} {noun}{'s' * (n != 1)}" for noun, n in numbers.items())


def interactions_frame(interactions: Interactions) -> pd.DataFrame:
    """Return interactions with the columns user, item and, if the data have them, rating and timestamp."""
    columns: dict[str, Any] = _named(interactions, {"user": interactions.user, "item": interactions.item})
    if interactions.rating is not None:
        columns["rating"] = interactions.rating
    if interactions.timestamp is not None:
        columns["timestamp"] = interactions.timestamp
    return pd.DataFrame(columns)


def ranking_frame(columns: Mapping[str, NDArray[Any]], interactions: Interactions) -> pd.DataFrame:
    """Return the columns of a ranking with names, states in words, and missing values for items that are not ranked."""
    named = _named(interactions, columns)
    if "state" in named:
        named["state"] = np.array([state.name.lower() for state in State], dtype=np.object_)[columns["state"]]
    return pd.DataFrame({name: _with_gaps(column) for name, column in named.items()})


def users_frame(columns: Mapping[str, NDArray[Any]], interactions: Interactions) -> pd.DataFrame:
    """Return columns with one row per user, indexed by user name."""
    index = pd.Index(names_of(interactions.user_ids, interactions.n_users), name="user")
    return pd.DataFrame(dict(columns), index=index)


def _named(interactions: Interactions, columns: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    users = names_of(interactions.user_ids, interactions.n_users)
    items = names_of(interactions.item_ids, interactions.n_items)
    return {**columns, "user": users[columns["user"]], "item": items[columns["item"]]}


def _with_gaps(column: NDArray[Any]) -> Any:
    if not isinstance(column, np.ma.MaskedArray):
        return column
    if column.dtype.kind == "f":
        return column.filled(np.nan)
    return pd.arrays.IntegerArray(column.data.astype(np.int64), np.ma.getmaskarray(column))
