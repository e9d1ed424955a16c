"""Places of judged items in lists that name few of all items, for `rank` and for code that has lists but no fold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recsens.arrays import Ids, Ints, read_only
from recsens.score_files._list_kernels import ListRows, PlacesInLists, find_in_lists

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
