"""Rows of the user's own files found again among the interactions, by raw names."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from recsens.errors import DataError, DesignError
from recsens.interactions import Interactions
from recsens.splitting._fold_files import FoldRows, Names

_REMEDY = "leave the line out, or use the data without a filter"


def place_in_data(interactions: Interactions, rows: FoldRows) -> NDArray[np.int64]:
    """Return the index of the interaction that each row names.

    Raises
    ------
    DataError
        If the data have no such user, item or pair, or a pair is named twice; with file and line.
    DesignError
        If the data have no raw names.
    """
    if interactions.user_ids is None or interactions.item_ids is None:
        raise DesignError("predefined folds name users and items as in the raw file, and these data never had a raw file")
    user = _codes(interactions.user_ids, rows.user, "user", rows)
    item = _codes(interactions.item_ids, rows.item, "item", rows)
    named = user * interactions.n_items + item
    # In ascending order, repeats are neighbours, and looking up runs through the data once.
    order = np.argsort(named)
    named = named[order]
    again = np.flatnonzero(named[1:] == named[:-1])
    if len(again):
        earlier, later = sorted(order[again[0] : again[0] + 2].tolist())
        raise DataError(
            f"{_pair(rows, earlier)} is named again; first at {rows.place(earlier)}",
            where=rows.place(later),
            remedy="a pair has one role in a fold: keep one of the lines",
        )
    pairs = interactions.user.astype(np.int64) * interactions.n_items + interactions.item
    sorting = np.argsort(pairs)
    pairs = pairs[sorting]
    place = np.minimum(np.searchsorted(pairs, named), max(len(pairs) - 1, 0))
    missing = order[pairs[place] != named] if len(pairs) else order
    if len(missing):
        row = int(missing.min())
        raise DataError(
            f"{_pair(rows, row)} is not in the data ({len(missing)} of {len(named)} rows are not)",
            where=rows.place(row),
            remedy=_REMEDY,
        )
    found = np.empty(len(named), dtype=np.int64)
    found[order] = sorting[place]
    return found


def _codes(ids: NDArray[np.object_], column: Names, what: str, rows: FoldRows) -> NDArray[np.int64]:
    known = {str(name): code for code, name in enumerate(ids)}
    codes = np.array([known.get(name, -1) for name in column.names], dtype=np.int64)
    unknown = np.flatnonzero(codes < 0)
    if len(unknown):
        row = int(np.flatnonzero(np.isin(column.code, unknown))[0])
        name = column.names[column.code[row]]
        raise DataError(f"the data have no {what} {name!r}", where=rows.place(row), remedy=_REMEDY)
    return codes[column.code]


def _pair(rows: FoldRows, row: int) -> str:
    return f"user {rows.user.names[rows.user.code[row]]!r} with item {rows.item.names[rows.item.code[row]]!r}"
