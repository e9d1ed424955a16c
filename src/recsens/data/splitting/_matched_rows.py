"""Match rows in a user's own files with interactions, by raw names."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from recsens.data.interactions import Interactions
from recsens.errors import DataError, DesignError
from recsens.files import FileTable

_REMEDY = "remove the line, or use the data without a filter"


def place_in_data(interactions: Interactions, tables: Sequence[FileTable]) -> NDArray[np.int64]:
    """Return, for each row of each table in turn, the index of the interaction that the row names.

    Raises DataError, with file and line, if the data do not contain the user, item or pair, or if a pair is named twice. Raises
    DesignError if the data have no raw names.
    """
    if interactions.user_ids is None or interactions.item_ids is None:
        raise DesignError("predefined folds name users and items as in the raw file, but these data have no raw file")
    user = np.concatenate([_codes(interactions.user_ids, table, "user") for table in tables])
    item = np.concatenate([_codes(interactions.item_ids, table, "item") for table in tables])
    named = user * interactions.n_items + item
    # In ascending order, repeated pairs are adjacent, and the lookup goes through the data only once.
    order = np.argsort(named)
    named = named[order]
    again = np.flatnonzero(named[1:] == named[:-1])
    if len(again):
        earlier, later = sorted(order[again[0] : again[0] + 2].tolist())
        (pair, first), (_, second) = _row(tables, earlier), _row(tables, later)
        raise DataError(
            f"{pair} occurs again; it first occurs at {first}",
            where=second,
            remedy="a pair has one role in a fold: keep one of the lines",
        )
    pairs = interactions.user.astype(np.int64) * interactions.n_items + interactions.item
    sorting = np.argsort(pairs)
    pairs = pairs[sorting]
    index = np.minimum(np.searchsorted(pairs, named), max(len(pairs) - 1, 0))
    missing = order[pairs[index] != named] if len(pairs) else order
    if len(missing):
        pair, place_of_it = _row(tables, int(missing.min()))
        raise DataError(
            f"{pair} is not in the data ({len(missing)} of {len(named)} rows are not)",
            where=place_of_it,
            remedy=_REMEDY,
        )
    rows_in_data = np.empty(len(named), dtype=np.int64)
    rows_in_data[order] = sorting[index]
    return rows_in_data


def _codes(ids: NDArray[np.object_], table: FileTable, what: str) -> NDArray[np.int64]:
    codes = table.names(what).codes_in(ids)
    if (codes < 0).any():
        row = int(np.argmax(codes < 0))
        raise DataError(f"the data have no {what} {table.names(what)[row]!r}", where=table.place(row), remedy=_REMEDY)
    return codes


def _row(tables: Sequence[FileTable], row: int) -> tuple[str, str]:
    """Return the pair and the location of a row; rows are numbered across all tables."""
    for table in tables:
        if row < len(table):
            return f"user {table.user[row]!r} with item {table.item[row]!r}", table.place(row)
        row -= len(table)
    raise IndexError(row)
