"""Places of judged items in lists that name few of all items, for `rank` and for code that has lists but no fold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recsens.arrays import Floats, Ids, Ints, read_only
from recsens.compiled.machine_code import njit


class ListRows(NamedTuple):
    """Lists of scored items, one row per item; list b has the rows ``order[starts[b]:starts[b + 1]]``."""

    order: Ints
    """Row numbers, list by list; empty if the rows themselves are in this order."""
    starts: Ints
    items: Ids
    scores: Floats
    keys: NDArray[np.uint64]
    """Of two items with the same score, the one with the lower key comes first; without keys, the item in the earlier row comes
    first."""
    are_of_items: bool
    """Whether there is a key for each item; otherwise there is one for each row."""


class PlacesInLists(NamedTuple):
    """Places of judged items in their user's list, all of shape (n,); 0 for an item that is not listed."""

    above: Ints
    tied: Ints
    position: Ints
    row: Ints
    """The item's row."""


@njit()
def find_in_lists(
    lists: ListRows, n_items: int, judge: Ints, judged_starts: Ints, judged_items: Ids, places: PlacesInLists, heads: Ints
) -> tuple[int, int]:
    """Sort lists by descending score, and find the judged items and the first items in the lists.

    Parameters
    ----------
    lists
        The lists.
    n_items
        Number of items that lists may name.
    judge
        For each list, the user with the judged items to find, or -1.
    judged_starts, judged_items
        User u's judged items are ``judged_items[judged_starts[u]:judged_starts[u + 1]]``; -1 for an item that no list names.
    places
        Receives the places of judged items.
    heads
        Receives the rows of the first items of each list, shape (n_lists, depth).

    Returns
    -------
    tuple
        Two rows with the same item in a list, or -1 twice if there are none.
    """
    index_of = np.full(n_items, -1, dtype=np.int64)
    for b in range(len(lists.starts) - 1):
        first, after = lists.starts[b], lists.starts[b + 1]
        rows = lists.order[first:after] if len(lists.order) else np.arange(first, after)
        for index in range(len(rows)):
            item = lists.items[rows[index]]
            if index_of[item] >= first:
                return rows[index_of[item] - first], rows[index]
            index_of[item] = first + index
        if judge[b] < 0:
            continue
        by_place = _sort_list(rows, lists)
        n_listed = min(len(rows), heads.shape[1])
        heads[b, :n_listed] = rows[by_place[:n_listed]]
        place_of, above, tied = _count_places(by_place, rows, lists.scores)
        for j in range(judged_starts[judge[b]], judged_starts[judge[b] + 1]):
            item = judged_items[j]
            if item >= 0 and index_of[item] >= first:
                place = place_of[index_of[item] - first]
                places.above[j], places.tied[j], places.position[j] = above[place], tied[place], place + 1
                places.row[j] = rows[by_place[place]]
    return -1, -1


@njit()
def _sort_list(rows: Ints, lists: ListRows) -> Ints:
    """Return the indices of a list's rows, best first."""
    scores, keys = lists.scores, lists.keys
    is_falling = is_level = True
    for index in range(1, len(rows)):
        is_falling &= scores[rows[index]] < scores[rows[index - 1]]
        is_level &= scores[rows[index]] <= scores[rows[index - 1]]
    if is_falling or (is_level and not len(keys)):
        return np.arange(len(rows))
    falling = -scores[rows]
    if not len(keys):
        return np.argsort(falling, kind="mergesort")
    by_place = np.arange(len(rows)) if is_level else np.argsort(falling, kind="mergesort")
    begin = 0
    for end in range(1, len(rows) + 1):
        if end == len(rows) or falling[by_place[end]] != falling[by_place[begin]]:
            if end - begin > 1:
                own = by_place[begin:end].copy()
                by_place[begin:end] = own[np.argsort(_tie_keys(rows[own], lists), kind="mergesort")]
            begin = end
    return by_place


@njit()
def _tie_keys(rows: Ints, lists: ListRows) -> NDArray[np.uint64]:
    return lists.keys[lists.items[rows]] if lists.are_of_items else lists.keys[rows]


@njit()
def _count_places(by_place: Ints, rows: Ints, scores: Floats) -> tuple[Ints, Ints, Ints]:
    """Return each index's place and, for each place, the number of higher scores and the number of other equal scores."""
    n = len(rows)
    place_of, above, tied = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    begin = 0
    for end in range(1, n + 1):
        if end == n or scores[rows[by_place[end]]] != scores[rows[by_place[begin]]]:
            for place in range(begin, end):
                place_of[by_place[place]], above[place], tied[place] = place, begin, end - begin - 1
            begin = end
    return place_of, above, tied


__all__ = ["FoundInLists", "ListRows", "PlacesInLists", "found_in_lists"]


@dataclass(frozen=True)
class FoundInLists:
    """The judged items and the first items that were found in lists.

    Attributes
    ----------
    places
        The places of judged items.
    heads
        Rows of the first items of each list, shape (n_lists, depth); undefined where a list is shorter.
    repeated
        Two rows with the same item in a list; all other results are then undefined. None if no item is repeated.
    """

    places: PlacesInLists
    heads: Ints
    repeated: tuple[int, int] | None


def found_in_lists(
    lists: ListRows, n_items: int, judge: Ints, judged_starts: Ints, judged_items: Ids, depth: int = 0
) -> FoundInLists:
    """Sort lists by descending score, and find the judged items and the first ``depth`` items in the lists.

    Parameters
    ----------
    lists
        The lists; no score is NaN.
    n_items
        Number of items that lists may name.
    judge
        For each list, the user with the judged items to find, or -1, shape (n_lists,). No two lists have the same user.
    judged_starts, judged_items
        User u's judged items are ``judged_items[judged_starts[u]:judged_starts[u + 1]]``; -1 for an item that no list names.
    depth
        Number of first items to return.
    """
    places = PlacesInLists(*np.zeros((4, len(judged_items)), dtype=np.int64))
    heads = np.zeros((len(judge), depth), dtype=np.int64)
    given = ListRows(
        *(read_only(lists.order), read_only(lists.starts), read_only(lists.items)),
        *(read_only(lists.scores), read_only(lists.keys), lists.are_of_items),
    )
    asked = (read_only(array) for array in (judge, judged_starts))
    first, second = find_in_lists(given, n_items, *asked, read_only(judged_items), places, heads)
    return FoundInLists(places, heads, None if first < 0 else (int(first), int(second)))
