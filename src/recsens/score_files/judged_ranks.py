"""Judged ranks: the number of candidates above each judged item, and the number with the same score."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.arrays import Ints
from recsens.errors import DataError
from recsens.files import FileTable, columns_of, has_types, read
from recsens.files.kinds import PAIRS, Column, Kind
from recsens.score_files._archive import NamedArrays, names_in
from recsens.score_files._forms import JudgedRanks

COUNTS = ("above", "equal", "candidates")
"""The columns besides user and item."""

ARRAYS = ("users", "items", "user", "item", *COUNTS)
"""The arrays of this form."""

_MOST = 2**31 - 1
"""The largest number of candidates."""

KIND = Kind((*PAIRS.columns, *(Column(name, "whole") for name in COUNTS)), empty="write one row for each user and each judged item")
"""Judged ranks as a table: ``user,item,above,equal,candidates``."""


def has_judged_ranks(path: Path) -> bool:
    """Whether a table has the columns of judged ranks; False if the file is not a table."""
    try:
        return set(COUNTS) <= set(columns_of(path))
    except DataError:
        return False


def read_judged_ranks(path: Path) -> JudgedRanks:
    """Read judged ranks from a table: CSV, TSV or parquet.

    Raises DataError, which names the file and line, if a row is invalid, or if rows contradict each other.
    """
    return ranks_of_table(read(path, KIND, "parquet" if has_types(path) else "csv"))


def ranks_of_table(table: FileTable) -> JudgedRanks:
    """Return the judged ranks in the rows of a table.

    Raises the same errors as `read_judged_ranks`.
    """
    counts = {name: np.asarray(table.columns[name]) for name in COUNTS}
    users, items = (table.user.names, table.user.code), (table.item.names, table.item.code)
    return _check_ranks(table.source, users, items, counts, table.place)


def read_ranks(arrays: NamedArrays) -> JudgedRanks:
    """Read judged ranks from an archive.

    Raises DataError if an array is missing, damaged or invalid, or if rows contradict each other.
    """
    users, items = names_in(arrays, "users"), names_in(arrays, "items")
    user = arrays.array("user", "iu", (None,))
    columns = {name: arrays.array(name, "iu", (len(user),)) for name in ("item", *COUNTS)}
    for name, code, n in (("user", user, len(users)), ("item", columns["item"], len(items))):
        if len(code) and not 0 <= int(code.min()) <= int(code.max()) < n:
            raise arrays.fault(name, f"contains {int(code.min())} to {int(code.max())}", f"indices of '{name}s', 0 to {n - 1}")
    if not len(user):
        raise arrays.fault("user", "is empty", "a row for each judged item of each user")
    for name in COUNTS:
        if int(columns[name].min()) < 0:
            raise arrays.fault(name, f"contains {int(columns[name].min())}", "whole numbers from 0")
    coded = ((users, user.astype(np.int32)), (items, columns["item"].astype(np.int32)))
    counts = {name: columns[name] for name in COUNTS}
    return _check_ranks(arrays.source, *coded, counts, lambda row: f"{arrays.source}, row {row + 1} of the judged pairs")


def _check_ranks(
    source: str,
    users: tuple[list[str], NDArray[np.int32]],
    items: tuple[list[str], NDArray[np.int32]],
    counts: Mapping[str, NDArray[Any]],
    place: Callable[[int], str],
) -> JudgedRanks:
    """Return judged ranks; refuse rows that are impossible in a ranking."""
    (user_names, user), (item_names, item) = users, items

    def fault(row: Any, problem: str, allowed: str) -> DataError:
        return DataError(
            f"user '{user_names[user[row]]}', item '{item_names[item[row]]}': {problem}", where=place(int(row)), allowed=allowed
        )

    for name in COUNTS:
        large = np.flatnonzero(counts[name] > _MOST)
        if len(large):
            raise fault(large[0], f"{counts[name][large[0]]:.0f} as '{name}'", f"numbers up to {_MOST}")
    above, equal, candidates = (counts[name].astype(np.int64) for name in COUNTS)
    beyond = np.flatnonzero(above + equal + 1 > candidates)
    if len(beyond):
        row = beyond[0]
        problem = f"{above[row]:,} above, {equal[row]:,} equal and the item itself are more than {candidates[row]:,} candidates"
        raise fault(row, problem, "above + equal + 1 of at most the number of candidates")
    order = np.lexsort((item, user))
    again = np.flatnonzero((np.diff(user[order]) == 0) & (np.diff(item[order]) == 0))
    if len(again):
        first, second = sorted((int(order[again[0]]), int(order[again[0] + 1])))
        raise fault(second, f"the pair occurs again; first at {place(first)}", "each pair once")
    of_user = np.zeros(len(user_names), dtype=np.int64)
    of_user[user[::-1]] = candidates[::-1]
    other = np.flatnonzero(candidates != of_user[user])
    if len(other):
        row = other[0]
        raise fault(
            row, f"{candidates[row]:,} candidates, but {of_user[user[row]]:,} in the user's first row", "one number per user"
        )
    _refuse_overlap(user, above, equal, fault)
    return JudgedRanks(source, user_names, item_names, user, item, above, equal, of_user)


def _refuse_overlap(user: NDArray[np.int32], above: Ints, equal: Ints, fault: Callable[[Any, str, str], DataError]) -> None:
    """Refuse groups of ties that overlap, or that have more judged items than positions."""
    order = np.lexsort((equal, above, user))
    u, a, e = user[order], above[order], equal[order]
    is_next = np.diff(u) == 0
    # For each user, the items of a group have equal numbers, and the next group begins below the group's last item.
    overlaps = np.flatnonzero(is_next & ~((np.diff(a) == 0) & (np.diff(e) == 0)) & (a[1:] < a[:-1] + e[:-1] + 1))
    if len(overlaps):
        row, before = order[overlaps[0] + 1], order[overlaps[0]]
        problem = f"{above[row]:,} above, but another item has {above[before]:,} above and {equal[before]:,} equal"
        raise fault(row, problem, "the same numbers for items with equal scores, and no other item between them")
    begins = np.concatenate([[True], ~is_next | (np.diff(a) != 0)])
    sizes = np.diff(np.append(np.flatnonzero(begins), len(order)))
    crowded = np.flatnonzero(sizes > e[begins] + 1)
    if len(crowded):
        row = order[np.flatnonzero(begins)[crowded[0]]]
        raise fault(
            row,
            f"{sizes[crowded[0]]} items have {above[row]:,} above, but only {equal[row]:,} equal",
            "no more items than share the score",
        )
