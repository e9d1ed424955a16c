"""Columns of a user's frame: find users, items, scores and ratings by their common names."""

import logging
from collections.abc import Iterable
from typing import Any

import pandas as pd

from recsens.errors import DataError, nearest
from recsens.files.column_names import column_of

log = logging.getLogger(__name__)


def renamed(frame: pd.DataFrame, needed: Iterable[str], optional: Iterable[str] = (), *, what: str) -> pd.DataFrame:
    """Rename a frame's columns to the names that recsens uses, and log the changes; other columns stay unchanged.

    Raises
    ------
    DataError
        If a needed column is missing, or if several columns match.
    """
    needed, given = list(needed), [str(column) for column in frame.columns]
    meant = {role: column_of(what, role, given) for role in (*needed, *optional)}
    for role in needed:
        if meant[role] not in given:
            raise DataError(
                f"no column '{role}': the columns are {', '.join(map(repr, given))}{nearest(role, given)}",
                where=what,
                allowed=f"the columns {', '.join(needed)}, or other common names of these, such as userId, movie_id, prediction",
                remedy=f"rename it: frame.rename(columns={{...: '{role}'}})",
            )
    other = {name: role for role, name in meant.items() if name in given and name != role}
    if other:
        log.warning("%s: columns read: %s", what, ", ".join(f"'{name}' as {role}" for name, role in other.items()))
    return frame.set_axis([other.get(name, name) for name in given], axis=1)


def is_long(columns: Iterable[Any], *, what: str) -> bool:
    """Whether a frame has one row per pair of a user and an item, which a column with a usual name of users or items shows.

    Raises the same errors as `renamed`.
    """
    names = [str(column) for column in columns]
    return any(column_of(what, role, names) in names for role in ("user", "item"))
