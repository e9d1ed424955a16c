"""Breadth-first search in a graph of users and items, until enough items are found."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recsens.plugins.frozen import frozen
from recsens.recommenders import Ids, Ints
from recsens.recommenders._compiled import compiled
from recsens.recommenders._rows import Rows

Words = NDArray[np.uint64]


class Neighbours(NamedTuple):
    """The neighbours of every node, as words of 64 bits, of which only those with neighbours are stored.

    A search mostly meets neighbours that it has found before, and a word tells this of 64 neighbours at once.

    Attributes
    ----------
    indptr
        The words of node r are at ``indptr[r]:indptr[r + 1]``, shape (n_nodes + 1,).
    places
        Numbers of the words, ascending within a node; word w has the bits of the neighbours 64 w to 64 w + 63.
    words
        The bits of the neighbours, the lowest bit first.
    """

    indptr: Ints
    places: Ids
    words: Words

    @classmethod
    def of(cls, rows: Rows) -> Neighbours:
        """Return the neighbours that have an entry in a node's row."""
        node, place = np.repeat(np.arange(len(rows.indptr) - 1), np.diff(rows.indptr)), rows.indices >> 6
        first = np.flatnonzero((np.diff(node, prepend=-1) != 0) | (np.diff(place, prepend=-1) != 0))
        words = np.bitwise_or.reduceat(np.uint64(1) << (rows.indices & 63).astype(np.uint64), first)
        return cls(frozen(np.searchsorted(first, rows.indptr)), frozen(place[first]), frozen(words))


@compiled()
def found_around(of_users: Neighbours, of_items: Neighbours, user: np.int64, most: int) -> tuple[Ints, Ints]:
    """Return the users and items that a breadth-first search from ``user`` finds until there are more than ``most`` items."""
    n_users, n_items = len(of_users.indptr) - 1, len(of_items.indptr) - 1
    users, seen_users = np.empty(n_users, dtype=np.int64), np.zeros(n_users // 64 + 1, dtype=np.uint64)
    items, seen_items = np.empty(n_items, dtype=np.int64), np.zeros(n_items // 64 + 1, dtype=np.uint64)
    users[0] = user
    seen_users[user >> 6] = np.uint64(1) << np.uint64(user & 63)
    n_users, n_items = _search(of_users, of_items, most, users, items, seen_users, seen_items)
    return users[:n_users], items[:n_items]


@compiled(allocates=False)
def _search(
    of_users: Neighbours, of_items: Neighbours, most: int, users: Ints, items: Ints, seen_users: Words, seen_items: Words
) -> tuple[int, int]:
    """Append what is found to ``users`` and ``items``, and return the numbers of both."""
    n_users, n_items, next_user, next_item = 1, 0, 0, 0
    # Levels alternate between users and items, so two queues, one for users and one for items, serve as one.
    while next_user < n_users:
        for index in range(next_user, n_users):
            n_items = _append_unseen(of_users, users[index], seen_items, items, n_items)
            if n_items > most:
                return n_users, n_items
        next_user = n_users
        for index in range(next_item, n_items):
            n_users = _append_unseen(of_items, items[index], seen_users, users, n_users)
        next_item = n_items
    return n_users, n_items


@compiled(allocates=False)
def _append_unseen(neighbours: Neighbours, node: np.int64, seen: Words, queue: Ints, n: int) -> int:
    """Append a node's neighbours that were not seen before to a queue of n, in ascending order; return its new length."""
    for nth in range(neighbours.indptr[node], neighbours.indptr[node + 1]):
        place = neighbours.places[nth]
        unseen = neighbours.words[nth] & ~seen[place]
        seen[place] |= unseen
        while unseen != 0:
            lowest = unseen & (~unseen + np.uint64(1))
            # The binary exponent of 2ⁿ is n + 1.
            queue[n] = 64 * place + math.frexp(np.float64(lowest))[1] - 1
            n += 1
            unseen ^= lowest
    return n
