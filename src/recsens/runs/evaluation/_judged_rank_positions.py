"""Judged positions from a file of judged ranks, under any order of ties that the file determines."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from recsens.arrays import places_in_groups
from recsens.files import found_in
from recsens.metrics.variants.conventions import Ties
from recsens.runs.evaluation._ranking import (
    Judgements,
    RunPositions,
    by_worth,
    matched_with,
    name_rank,
    refuse_no_common_user,
)
from recsens.runs.evaluation._settings import Settings
from recsens.score_files import JudgedRanks
from recsens.seeds import Stream

_TIES = Stream.of(0, "evaluate", "ties")


def positions_of_ranks(run: JudgedRanks, judgements: Judgements, settings: Settings, ties: Ties) -> RunPositions:
    """Find the positions of judged items: below all items with higher scores and, among equal scores, by the order of ties.

    Under ``pessimistic`` and ``optimistic``, items that are not judged, or not named in the file, are the worst. All other orders
    sort the named items in a group of equal scores, and draw their places among the unnamed items. All sets of places are equally
    likely. The draw depends only on the name of the user, the place of the group, and the number of items in the group.

    Raises DataError if the file and the judgements share no user.
    """
    judged_by = found_in(judgements.users, run.users)
    refuse_no_common_user(judged_by, run.users, judgements.users, run.source)
    rows, at = _shared(run, judgements)
    names, listed = name_rank(run.items, ties), run.candidates_of(found_in(run.users, judgements.users))
    is_by_worth = ties in {"pessimistic", "optimistic"}
    by_name = is_by_worth or (settings.rank_by != "rows" and ties in {"item", "number"})
    above, tied, position, keys = np.zeros((4, len(judgements.worth)), dtype=np.int64)
    above[at], tied[at], keys[at] = run.above[rows], run.equal[rows], names[run.item[rows]]
    position[at] = (run.above + 1 + _places_drawn(run, names if by_name else None))[rows]
    if is_by_worth:
        position = by_worth(judgements, keys, above, tied, position, best_first=ties == "optimistic")
    ranked = np.flatnonzero(run.candidates)
    users = [run.users[user] for user in ranked.tolist()]
    matched = matched_with(judgements, users, run.items, judged_by[ranked], listed, position)
    return RunPositions(
        position,
        None,
        listed,
        matched,
        is_tied=bool((run.equal + 1 == run.candidates[run.user]).all() and (run.candidates > 1).any()),
        n_tied=int(np.count_nonzero(run.equal[rows])),
        notes=(*_users_without_row(listed), *_notes(run, rows, ties, settings)),
    )


def _shared(run: JudgedRanks, judgements: Judgements) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows of the file with a judged pair, and the matching rows of the judgements."""
    user, item = found_in(judgements.users, run.users)[run.user], found_in(judgements.items, run.items)[run.item]
    known = np.flatnonzero((user >= 0) & (item >= 0))
    pairs = judgements.row_user.astype(np.int64) * len(judgements.items) + judgements.pool
    order = np.argsort(pairs, kind="stable")
    wanted = user[known] * len(judgements.items) + item[known]
    place = np.searchsorted(pairs, wanted, sorter=order)
    at = order[np.minimum(place, len(order) - 1)]
    is_judged = pairs[at] == wanted
    return known[is_judged], at[is_judged]


def _users_without_row(listed: NDArray[np.int64]) -> tuple[str, ...]:
    """Say how many judged users have no row: such users may have no list, or a list without judged items."""
    n = int(np.count_nonzero(listed == 0))
    told = f"{n:,} of {len(listed):,} judged users have no row and are treated as users without a list, even if they have one"
    return (f"{told}: means may differ from those of the full scores",) if n else ()


def _notes(run: JudgedRanks, rows: NDArray[np.int64], ties: Ties, settings: Settings) -> tuple[str, ...]:
    n_hidden = int(np.count_nonzero(run.has_unnamed_equals[rows]))
    drawn = (
        f"{n_hidden:,} of {len(rows):,} judged items share their score with items that the file does not name: their places "
        "are drawn"
    )
    rounded = "the positions are those in the file, for which scores were not rounded to 32 bits"
    is_drawn = n_hidden > 0 and ties not in {"pessimistic", "optimistic"}
    return (*([drawn] if is_drawn else []), *([rounded] if settings.single_precision else []))


def _places_drawn(run: JudgedRanks, names: NDArray[np.int32] | None) -> NDArray[np.int64]:
    """Return each row's place in its tie group, from 0: by the ranks of names, or by row; drawn if the group has unnamed items."""
    group = run.group
    place = places_in_groups(group, np.arange(len(group)) if names is None else names[run.item])
    hidden = np.flatnonzero(run.has_unnamed_equals)
    if not len(hidden):
        return place
    order = hidden[np.lexsort((place[hidden], group[hidden]))]
    of_user = {user: _TIES.child(run.users[user]).key for user in np.unique(run.user[order]).tolist()}
    keys = np.array([of_user[user] for user in run.user[order].tolist()], dtype=np.uint64)
    draws = _TIES.uniform(keys, run.above[order], place[order])
    for rows in np.split(np.arange(len(order)), np.flatnonzero(np.diff(group[order])) + 1):
        place[order[rows]] = _chosen(int(run.equal[order[rows[0]]]) + 1, draws[rows].tolist())
    return place


def _chosen(n: int, draws: Sequence[float]) -> list[int]:
    """Choose from 0 to n - 1 as many places as there are draws from [0, 1), and return them in ascending order."""
    # Fisher and Yates' shuffle, storing only the places that were moved.
    chosen, moved = [], dict[int, int]()
    for first, draw in enumerate(draws):
        place = first + int(draw * (n - first))
        chosen.append(moved.get(place, place))
        moved[place] = moved.get(first, first)
    return sorted(chosen)
