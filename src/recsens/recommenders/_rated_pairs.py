"""Whether a user rated an item: a bit for each pair if the bits fit into memory, and otherwise a search in the user's items."""

import numpy as np
from numpy.typing import NDArray

from recsens.recommenders import Ids
from recsens.recommenders._compiled import compiled
from recsens.recommenders._rows import Rows

Marks = NDArray[np.uint64]

_WORDS_PER_RATING = 2
"""Most words of 64 bits per rating that the table may take, which is as much memory as the ratings themselves."""


def marks_of(rows: Rows, n_items: int) -> Marks:
    """Return a table with the bits of all stored pairs, a row per user, or without columns if it would take too much memory."""
    n_users, n_words = len(rows.indptr) - 1, -(-n_items // 64)
    marks = np.zeros((n_users, n_words if n_users * n_words <= _WORDS_PER_RATING * len(rows.indices) else 0), dtype=np.uint64)
    _mark(rows, marks)
    return marks


@compiled(allocates=False)
def is_rated(rows: Rows, marks: Marks, user: np.int64, item: np.int64) -> bool:
    """Return whether a pair is stored, for a user with at least one item.

    Reading a bit is several times as fast as a search, each of whose steps waits for the previous one to load a number.
    """
    if marks.shape[1] == 0:
        return _holds(rows.indices[rows.indptr[user] : rows.indptr[user + 1]], item)
    return bool((marks[user, item >> 6] >> np.uint64(item & 63)) & np.uint64(1))


@compiled(allocates=False)
def _mark(rows: Rows, marks: Marks) -> None:
    if marks.shape[1] == 0:
        return
    for user in range(len(marks)):
        for item in rows.indices[rows.indptr[user] : rows.indptr[user + 1]]:
            marks[user, item >> 6] |= np.uint64(1) << np.uint64(item & 63)


@compiled(allocates=False)
def _holds(rated: Ids, item: np.int64) -> bool:
    """Return whether an item is in a non-empty ascending list of items."""
    first, left = 0, len(rated)
    while left > 1:
        half = left // 2
        # This compiles to a conditional move instead of a branch, which the processor could not predict.
        first = first + half if rated[first + half] <= item else first
        left -= half
    return bool(rated[first] == item)
