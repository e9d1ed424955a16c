"""Judged positions of a run, computed from scores and judgements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.arrays import equal_scores, places_in_groups, read_only
from recsens.errors import DataError
from recsens.files import FileTable, Names, indices_in
from recsens.files.column_names import label_columns
from recsens.inputs.matching import Matched
from recsens.metrics.variants.conventions import Ties
from recsens.runs.evaluation import _kernels
from recsens.runs.evaluation._evaluation import Settings
from recsens.score_files.in_lists import ListRows, found_in_lists


@dataclass(frozen=True)
class Judgements:
    """The test set's ratings, user by user.

    Attributes
    ----------
    users, items
        Names of users and items; users are in the order of the file.
    starts
        First row of each user, shape (n_users + 1,).
    pool
        Item of each row, shape (n_rows,).
    worth
        Rating of each row, shape (n_rows,); -inf for an item that the judgements name without judging it.
    """

    users: list[str]
    items: list[str]
    starts: NDArray[np.int64]
    pool: NDArray[np.int32]
    worth: NDArray[np.float64]

    @classmethod
    def of(cls, rows: FileTable, unjudged_below: float | None) -> Judgements:
        """Group rows by user. Values below ``unjudged_below``, unless it is None, are not ratings.

        Raises DataError if a pair occurs twice.
        """
        order, starts = _rows_by_user(rows.user)
        first, second = _kernels.first_repeat(order, starts, read_only(rows.item.code), len(rows.item.names))
        if first >= 0:
            raise rows.repeated(int(first), int(second))
        pool, worth = (rows.item.code, rows.value) if len(order) == 0 else (rows.item.code[order], rows.value[order])
        if unjudged_below is not None:
            worth = np.where(worth < unjudged_below, -np.inf, worth)
        return cls(rows.user.names, rows.item.names, starts, pool, worth)

    @property
    def n_users(self) -> int:
        """Number of users who have a row."""
        return len(self.users)

    @cached_property
    def is_judged(self) -> NDArray[np.bool_]:
        """Whether the item of each row is judged, shape (n_rows,)."""
        return self.worth > -np.inf

    @property
    def n_unjudged(self) -> int:
        """Number of rows without a judgement."""
        return int(np.count_nonzero(~self.is_judged))

    @cached_property
    def judged(self) -> slice | NDArray[np.int64]:
        """Rows with a judgement; a slice if all rows have one, because a slice copies nothing."""
        return np.flatnonzero(self.is_judged) if self.n_unjudged else slice(None)

    @cached_property
    def row_user(self) -> NDArray[np.int32]:
        """User of each row, shape (n_rows,)."""
        return np.repeat(np.arange(self.n_users, dtype=np.int32), np.diff(self.starts))

    @property
    def user(self) -> NDArray[np.int32]:
        """User of each judged item, shape (n,)."""
        return self.row_user[self.judged]

    @property
    def item(self) -> NDArray[np.int32]:
        """Each judged item, shape (n,)."""
        return self.pool[self.judged]

    @property
    def rating(self) -> NDArray[np.float64]:
        """Rating of each judged item, shape (n,)."""
        return self.worth[self.judged]

    def unjudged_above(self, position: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count the unjudged items of the pool that are ranked above each judged item, shape (n,).

        ``position`` has shape (n_rows,), with 0 for items that are not ranked; their count is 0.
        """
        order = np.lexsort((position, self.row_user))
        counts = (~self.is_judged & (position > 0))[order]
        before: NDArray[np.int64] = np.cumsum(counts) - counts
        above = np.empty(len(order), dtype=np.int64)
        above[order] = before - before[self.starts[self.row_user[order]]]
        return above[self.judged]


@dataclass(frozen=True)
class RunPositions:
    """The positions of judged items in a run, row by row.

    Attributes
    ----------
    position
        Position of each row's item, counted from 1; 0 if the item is not ranked, shape (n_rows,).
    score
        The score that orders the items or, if ranks order them, the negative rank; NaN if an item is not ranked; shape (n_rows,).
        None if the run contains no scores, but only the number of items above each item.
    listed
        Length of each user's list, shape (n_users,).
    matched
        The users and items that the run and the judgements have in common.
    is_tied
        Whether all items of the run have the same value.
    n_tied
        Number of items in the judgements that have the same value as another item in the same list.
    notes
        Further notes on the run.
    """

    position: NDArray[np.int64]
    score: NDArray[np.float64] | None
    listed: NDArray[np.int64]
    matched: Matched
    is_tied: bool
    n_tied: int
    notes: tuple[str, ...] = ()

    @property
    def has_ties(self) -> bool:
        """Whether any judged item has the same value as another item in the same list."""
        return self.n_tied > 0


def judged_positions(run: FileTable, judgements: Judgements, settings: Settings, ties: Ties) -> RunPositions:
    """Rank each user's items by descending score, ascending rank, or row order, and find the judged items' positions.

    ``ties`` must not be ``refuse``, because positions alone do not show whether a tie matters.

    Raises DataError if a pair occurs twice, or if the run and the judgements share no user.
    """
    rows, starts = _rows_by_user(run.user)
    judged_by = indices_in(judgements.users, run.user.names)
    refuse_no_common_user(judged_by, run.user.names, judgements.users, run.place(0))
    score = run.value.astype(np.float32).astype(np.float64) if settings.single_precision else run.value
    ranked_by = {"score": score, "rank": -score, "rows": -np.arange(len(score), dtype=np.float64)}[settings.rank_by]
    item, names = indices_in(run.item.names, judgements.items)[judgements.pool], name_rank(run.item.names, ties).astype(np.uint64)
    keys = names[:0] if ties == "given" else names
    found = found_in_lists(
        ListRows(rows, starts, run.item.code, ranked_by, keys, are_of_items=True),
        *(len(names), judged_by, judgements.starts, item.astype(np.int32)),
    )
    if found.repeated is not None:
        raise repeated_pair(run, *found.repeated)
    above, tied, position, at = found.places
    if ties in {"pessimistic", "optimistic"}:
        position = by_worth(judgements, names[item], above, tied, position, best_first=ties == "optimistic")
    scored, is_ranked = np.full(len(position), np.nan), position > 0
    scored[is_ranked] = (score if settings.rank_by == "rows" else ranked_by)[at[is_ranked]]
    listed, is_judged = np.zeros(judgements.n_users, dtype=np.int64), judged_by >= 0
    listed[judged_by[is_judged]] = np.diff(starts)[is_judged]
    matched = matched_with(judgements, run.user.names, run.item.names, judged_by, listed, position)
    return RunPositions(position, scored, listed, matched, is_tied=run.is_constant, n_tied=int(np.count_nonzero(tied)))


def by_worth(
    judgements: Judgements,
    keys: NDArray[np.integer[Any]],
    above: NDArray[np.int64],
    tied: NDArray[np.int64],
    position: NDArray[np.int64],
    *,
    best_first: bool,
) -> NDArray[np.int64]:
    """Return the positions with better or worse items first among equal scores, then by key; unjudged items are the worst.

    For each row of the judgements, ``above`` is the number of items with a higher score, ``tied`` is the number of other items with
    the same score, and ``position`` is the position with ties broken by the keys of items. The key of an item that is not ranked is
    not read.
    """
    position, rows = position.copy(), np.flatnonzero(tied)
    if not len(rows):
        return position
    worth, keys, above = judgements.worth[rows], keys[rows], above[rows]
    is_judged, group = worth > -np.inf, equal_scores(judgements.row_user[rows], above)
    n_judged = np.bincount(group, weights=is_judged).astype(np.int64)[group]
    among_judged = places_in_groups(group, keys, -worth if best_first else worth, ~is_judged)
    others_ahead = 0 if best_first else tied[rows] + 1 - n_judged
    by_key = np.lexsort((keys, group))
    judged_ahead = np.empty(len(rows), dtype=np.int64)
    judged_ahead[by_key] = np.cumsum(is_judged[by_key]) - is_judged[by_key]
    judged_ahead -= judged_ahead[by_key][np.searchsorted(group[by_key], group)]
    among_others = position[rows] - judged_ahead + (n_judged if best_first else 0)
    position[rows] = np.where(is_judged, above + 1 + others_ahead + among_judged, among_others)
    return position


def _rows_by_user(user: Names) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return row numbers by user (an empty array if rows are already in that order) and the index of each user's first row."""
    code, n_users = user.code, len(user.names)
    # Names are coded in order of appearance, so codes never decrease if each user's rows are adjacent.
    if (code[1:] >= code[:-1]).all():
        return np.empty(0, dtype=np.int64), np.searchsorted(code, np.arange(n_users + 1))
    starts = np.concatenate([[0], np.cumsum(np.bincount(code, minlength=n_users))]).astype(np.int64)
    rows = np.empty(len(code), dtype=np.int64)
    _kernels.rows_by_group(code, starts, rows)
    return rows, starts


def matched_with(
    judgements: Judgements,
    users: Sequence[str],
    items: Sequence[str],
    judged_by: NDArray[np.int64],
    listed: NDArray[np.int64],
    position: NDArray[np.int64],
) -> Matched:
    """Count the users, items and pairs that a run shares with judgements.

    ``judged_by`` gives, for each user of the run, the index of the same user in the judgements, or -1.
    """
    judged_pairs = position[judgements.judged]
    return Matched(
        items=items,
        judged_items=judgements.items,
        n_users=len(users),
        n_judged_users=judgements.n_users,
        n_judged_pairs=len(judged_pairs),
        n_shared_items=int(np.count_nonzero(indices_in(items, judgements.items) >= 0)),
        n_shared_pairs=int(np.count_nonzero(judged_pairs)),
        strangers=tuple(users[user] for user in np.flatnonzero(judged_by < 0).tolist()),
        unlisted=tuple(judgements.users[user] for user in np.flatnonzero(listed == 0).tolist()),
    )


def refuse_no_common_user(judged_by: NDArray[np.int64], ours: Sequence[str], theirs: Sequence[str], where: str) -> None:
    """Refuse a run if none of its users is judged; ``judged_by`` gives each user's index in the judgements, or -1.

    Raises DataError.
    """
    if (judged_by < 0).all():
        raise DataError(
            f"no user of the run is judged: the run has '{next(iter(ours), '')}', the judgements have '{theirs[0]}', and so on",
            where=where,
            remedy="names are text, so '007' is not '7': spell them the same way in both files",
        )


def name_rank(names: Sequence[str], ties: Ties = "item") -> NDArray[np.int32]:
    """Return the rank of each name in descending order, shape (len(names),); for ``number``, whole numbers are ordered by value."""
    by_value = ties == "number" and all(name.isdecimal() for name in names)
    # The order of text is by code point, which is also the order of UTF-8 bytes.
    order = sorted(range(len(names)), key=(lambda at: int(names[at])) if by_value else names.__getitem__, reverse=True)
    rank = np.empty(len(names), dtype=np.int32)
    rank[order] = np.arange(len(names), dtype=np.int32)
    return rank


def repeated_pair(run: FileTable, first: int, second: int) -> DataError:
    """Return the error for a repeated pair; it names unread columns that may explain the repetition."""
    error, labels = run.repeated(first, second), label_columns(run.ignored)
    if not labels:
        return error
    named = " and ".join(f"'{name}'" for name in labels.values())
    remedy = f"if {named} name systems or folds, measure each with the command 'recsens evaluate', or keep the rows of one"
    return DataError(error.problem, where=error.where, remedy=remedy)
