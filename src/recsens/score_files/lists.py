"""Lists of any depth: the items of each user in order, with or without scores. Items that are not in a list have no score."""

import numpy as np
from numpy.typing import NDArray

from recsens.files import FileTable, Names
from recsens.files.kinds import RankBy
from recsens.score_files._archive import NamedArrays, names_in
from recsens.score_files.item_weights import rows_in

ARRAYS = ("users", "items", "indptr", "indices", "scores")
"""The arrays of this form; ``scores`` may be missing."""


def read(arrays: NamedArrays, rank_by: RankBy) -> FileTable:
    """Read lists as rows of user, item and score, or rank if ``rank_by="rank"``. Without scores, the score is minus the rank.

    Raises DataError if an array is missing, damaged or invalid, or if all lists are empty.
    """
    users, items = names_in(arrays, "users"), names_in(arrays, "items")
    indptr, indices = rows_in(arrays, ("indptr", "indices"), len(users), len(items))
    scores = arrays.finite("scores", (len(indices),)) if "scores" in arrays.names else None
    if not len(indices):
        raise arrays.fault("indices", "is empty: all lists are empty", "at least one item")
    lengths = np.diff(indptr)
    user, place = (
        np.repeat(np.arange(len(users), dtype=np.int32), lengths),
        np.arange(len(indices)) - np.repeat(indptr[:-1], lengths),
    )
    rank = (place + 1).astype(np.float64)
    columns = {"rank": rank} if rank_by == "rank" else {"score": -rank if scores is None else scores.astype(np.float64)}
    named = {"user": _used(users, user), "item": _used(items, indices)}
    ignored = ["rank"] if rank_by == "score" and scores is not None else []
    return FileTable(
        arrays.source,
        {**named, **columns},
        lambda row: f"{arrays.source}, place {int(place[row]) + 1} of user '{users[int(user[row])]}'",
        ignored=ignored,
    )


def _used(names: list[str], code: NDArray[np.int32]) -> Names:
    """Drop names without a row, because every name in a table must have a row."""
    return Names(names, code).kept(slice(None))
