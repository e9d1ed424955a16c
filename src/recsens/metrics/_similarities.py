"""Distances between items in a list, computed from their raters or from words that describe them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from recsens.arrays import Floats, Ints, read_only
from recsens.errors import DesignError
from recsens.metrics._list_kernels import add_distances, count_shared
from recsens.metrics._lists import Lists

_BLOCK = 1 << 26
"""Number of counts of common members in memory at a time; they take 256 MiB."""


def words_by_item(column: Sequence[Any], name: str) -> csr_array:
    """Return items' words as a matrix of ones, shape (n_items, n_words); a single word counts as a list with one word.

    Raises DesignError if the column contains neither words nor lists of words.
    """
    words: dict[str, int] = {}
    rows, columns = [], []
    for item, entry in enumerate(column):
        own = [] if entry is None else [entry] if isinstance(entry, str) else entry
        if not isinstance(own, list | tuple) or not all(isinstance(word, str) for word in own):
            raise DesignError(
                f"the column '{name}' of the table of items holds {entry!r}", allowed="a column of words, or of lists of words"
            )
        for word in dict.fromkeys(own):
            rows.append(item)
            columns.append(words.setdefault(word, len(words)))
    return csr_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(len(column), max(len(words), 1)))


def pair_distances(lists: Lists, members: csr_array, cutoffs: Ints, *, jaccard: bool) -> Floats:
    """Sum the distances of pairs in each list; a pair counts at the first cut-off that reaches both items, (n_users, n_cutoffs).

    Parameters
    ----------
    lists
        Users' lists.
    members
        Raters or words of each item, as a matrix of ones, shape (n_items, n_members).
    cutoffs
        The cut-offs, ascending.
    jaccard
        Whether to divide the number of common members by the size of the union instead of the geometric mean of both sizes.
    """
    listed = np.flatnonzero(lists.counts(int(cutoffs[-1])))
    code = np.full(lists.catalogue.n_items, -1, dtype=np.int64)
    code[listed] = np.arange(len(listed))
    items = members.T.tocsr()
    sizes = np.diff(members.indptr)[listed].astype(np.float64)
    sums = np.zeros((lists.n_users, len(cutoffs)))
    step = max(1, _BLOCK // max(len(listed), 1))
    for first in range(0, len(listed), step):
        rows = listed[first : first + step]
        shared = np.empty((len(rows), len(listed)), dtype=np.int32)
        count_shared(rows, members.indptr, members.indices, items.indptr, items.indices, code, shared)
        add_distances(shared, first, sizes, jaccard, read_only(lists.item), lists.starts, code, cutoffs, sums)
    return sums
