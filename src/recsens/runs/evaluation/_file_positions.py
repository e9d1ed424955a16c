"""Judged positions from a file of scores or of judged ranks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from recsens.arrays import places_in_groups
from recsens.errors import DataError
from recsens.files import indices_in
from recsens.metrics.variants.conventions import Ties
from recsens.runs.evaluation._evaluation import Settings
from recsens.runs.evaluation._ranking import Judgements, RunPositions, by_worth, matched_with, name_rank, refuse_no_common_user
from recsens.runs.evaluation._train_pairs import TrainPairs, left_out_in_words
from recsens.score_files import JudgedRanks, ScoreFile, describe
from recsens.seeds import Stream
from recsens.vocabulary import USERS_AT_ONCE

_ALL_RANKED = "for some users, every item of the file is ranked, train items too: give the train set (--train, train=...)"


class RankedScores:
    """Judged positions in compact scores under any order of ties except row order; scores are computed once for all orders.

    Raises DataError if items are not ordered by score, if weights between items come without a train set, or if the run and the
    judgements share no user.
    """

    def __init__(self, run: ScoreFile, judgements: Judgements, settings: Settings, train: TrainPairs | None) -> None:
        _refuse_other_order(run, settings)
        self._run, self._judgements, self._settings, self._train = run, judgements, settings, train
        self._scorable = _ScorableUsers.of(run, judgements, train, settings)
        refuse_no_common_user(self._scorable.judged_by, self._scorable.users, judgements.users, run.source)
        self._item_of = indices_in(run.items, judgements.items)
        self._places = cache(self._find)

    def under(self, ties: Ties) -> RunPositions:
        """Rank, for each judged user, the scored items that are not in train, and find the positions of judged items."""
        judgements, run, scorable = self._judgements, self._run, self._scorable
        places = self._places(by="item" if ties in {"pessimistic", "optimistic"} else ties)
        position = places.position
        if ties in {"pessimistic", "optimistic"}:
            keys = places.keys[self._item_of[judgements.pool]]
            position = by_worth(judgements, keys, places.above, places.tied, position, best_first=ties == "optimistic")
        matched = matched_with(judgements, scorable.users, run.items, scorable.judged_by, places.listed, position)
        n_tied, train, settings = int(np.count_nonzero(places.tied)), self._train, self._settings
        is_untold = train is None or settings.train_items == "all"
        n_lacking = np.count_nonzero(scorable.lacks)
        notes = [
            _ALL_RANKED if train is None and places.is_whole else "",
            "" if is_untold else left_out_in_words(places.n_left_out, places.n_low, settings),
            f"{n_lacking:,} items without a train rating are left out" if n_lacking else "",
            _note_of_ties(n_tied, matched.n_shared_pairs) if run.is_half_precision else "",
        ]
        return RunPositions(
            position,
            places.score,
            places.listed,
            matched,
            is_tied=places.is_tied,
            n_tied=n_tied,
            notes=tuple(note for note in notes if note),
        )

    def _find(self, *, by: Ties) -> _Places:
        # Import this here, because runs in tables should not wait for the kernels of rankings.
        from recsens.ranking.by_counting import places_among_scored  # noqa: PLC0415

        n_items = len(self._run.items)
        keys = (np.arange(n_items) if by == "given" else name_rank(self._run.items, by)).astype(np.uint64)
        found = _Places.none(self._judgements, keys)
        for rows, scores, n_left_out, n_low in self._scorable.blocks(self._settings):
            judged_by = self._scorable.judged_by[rows]
            at, user = _rows_of(self._judgements, judged_by)
            item = self._item_of[self._judgements.pool[at]]
            at, user, item = at[item >= 0], user[item >= 0], item[item >= 0]
            indptr = np.searchsorted(user, np.arange(len(rows) + 1))
            places = places_among_scored(scores, indptr, item.astype(np.int32), keys)
            found.above[at], found.tied[at], found.position[at] = places.above, places.tied, places.position
            is_ranked = places.position > 0
            found.score[at[is_ranked]] = scores[user, item][is_ranked]
            found.listed[judged_by] = places.ranked
            found.ends = (min(found.ends[0], places.lowest.min()), max(found.ends[1], places.highest.max()))
            found.is_whole = found.is_whole or bool((places.ranked == n_items).any())
            found.n_left_out += n_left_out
            found.n_low += n_low
        return found


@dataclass
class _Places:
    """The place of each judgement's item in its user's ranking.

    All arrays have one entry per judgement, except two: ``keys``, by which items of the run with the same score are ordered, and
    ``listed``, the lengths of the rankings.
    """

    keys: NDArray[np.uint64]
    above: NDArray[np.int64]
    tied: NDArray[np.int64]
    position: NDArray[np.int64]
    score: NDArray[np.float64]
    listed: NDArray[np.int64]
    ends: tuple[float, float] = (np.inf, -np.inf)
    is_whole: bool = False
    n_left_out: int = 0
    n_low: int = 0

    @classmethod
    def none(cls, judgements: Judgements, keys: NDArray[np.uint64]) -> _Places:
        n = len(judgements.worth)
        above, tied, position = np.zeros((3, n), dtype=np.int64)
        return cls(keys, above, tied, position, np.full(n, np.nan), np.zeros(judgements.n_users, dtype=np.int64))

    @property
    def is_tied(self) -> bool:
        """Whether all scores are equal."""
        return bool(self.ends[0] == self.ends[1])


def _rows_of(judgements: Judgements, users: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows of the judgements of some users, and for each row the index of its user among these users."""
    first = judgements.starts[users]
    counts = judgements.starts[users + 1] - first
    rows = np.arange(counts.sum()) + np.repeat(first - (np.cumsum(counts) - counts), counts)
    return rows, np.repeat(np.arange(len(users)), counts)


@dataclass(frozen=True)
class _ScorableUsers:
    """The users that a run can score, the judged user for each of them (or -1), and their pairs in the train set.

    ``out`` are the pairs that are removed from the lists, ``low`` are the train pairs rated too low to be removed, and ``lacks``
    says which items are missing from train and therefore removed from all lists.
    """

    run: ScoreFile
    users: Sequence[str]
    judged_by: NDArray[np.int64]
    profile: csr_array | None
    out: csr_array | None
    low: csr_array | None
    lacks: NDArray[np.bool_]

    @classmethod
    def of(cls, run: ScoreFile, judgements: Judgements, train: TrainPairs | None, settings: Settings) -> _ScorableUsers:
        users = run.users
        if run.kind == "item_weights":
            if train is None:
                raise DataError(
                    "weights between items give scores only together with the items that each user has rated",
                    where=run.source,
                    remedy="give the train set: --train, train=...",
                )
            users = train.table.user.names
        known = None if train is None else train.matrix(users, run.items)
        if run.kind == "item_weights" and known is not None:
            has_profile = np.diff(known.indptr) > 0
            users, known = [users[row] for row in np.flatnonzero(has_profile).tolist()], known[has_profile]
        out, low = (None, None) if train is None else train.out(users, run.items, settings)
        lacks = np.zeros(len(run.items), dtype=np.bool_)
        if train is not None and settings.unknown == "drop":
            lacks = train.lacks(run.items)
        return cls(run, users, indices_in(judgements.users, users), known, out, low, lacks)

    def blocks(self, settings: Settings) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64], int, int]]:
        """Yield, by blocks, judged users' rows, scores (NaN for removed items), and numbers of train items removed and kept."""
        # Import this here, because runs in tables should not wait for the kernels of recommenders.
        from recsens.recommenders.score_blocks import scores_of_users  # noqa: PLC0415

        judged = np.flatnonzero(self.judged_by >= 0)
        for rows in np.split(judged, range(USERS_AT_ONCE, len(judged), USERS_AT_ONCE)):
            known = None if self.profile is None else self.profile[rows]
            profile = self.run.kind == "item_weights"
            scores: NDArray[Any] = scores_of_users(self.run.kind, self.run.arrays, np.arange(len(rows)) if profile else rows, known)
            scores = scores.astype(np.float32, copy=False) if settings.single_precision else scores
            # Train pairs are removed in a copy; the arrays of a file do not change.
            scores = np.require(scores, np.float64, ["C", "W", "O"])
            if self.lacks.any():
                scores[:, self.lacks] = np.nan
            left_out = n_low = 0
            if self.out is not None and self.low is not None:
                pairs = self.out[rows].nonzero()
                left_out = int(np.count_nonzero(~np.isnan(scores[pairs])))
                scores[pairs] = np.nan
                n_low = int(np.count_nonzero(~np.isnan(scores[self.low[rows].nonzero()])))
            yield rows, scores, left_out, n_low


def _refuse_other_order(run: ScoreFile, settings: Settings) -> None:
    if settings.rank_by != "score":
        what = "ranks" if settings.rank_by == "rank" else "order of rows"
        raise DataError(
            f"{describe(run)} have no {what}: scores order the items",
            where=run.source,
            remedy='order the items by score: --rank-by score, rank_by="score"',
        )


def _note_of_ties(n_tied: int, n_ranked: int) -> str:
    return (
        f"the file contains 16-bit numbers, and rounding makes scores equal: {n_tied:,} of {n_ranked:,} ranked judged items share "
        "their score with another item; the file does not show how many of these ties come from rounding"
    )


_TIES = Stream.of(0, "evaluate", "ties")


def positions_of_ranks(run: JudgedRanks, judgements: Judgements, settings: Settings, ties: Ties) -> RunPositions:
    """Find the positions of judged items: below all items with higher scores and, among equal scores, by the order of ties.

    Under ``pessimistic`` and ``optimistic``, items that are not judged, or not named in the file, are the worst. All other orders
    sort the named items in a group of equal scores, and draw their places among the unnamed items. All sets of places are equally
    likely. The draw depends only on the name of the user, the place of the group, and the number of items in the group.

    Raises DataError if the file and the judgements share no user.
    """
    judged_by = indices_in(judgements.users, run.users)
    refuse_no_common_user(judged_by, run.users, judgements.users, run.source)
    rows, at = _shared(run, judgements)
    names, listed = name_rank(run.items, ties), run.candidates_of(indices_in(run.users, judgements.users))
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
    user, item = indices_in(judgements.users, run.users)[run.user], indices_in(judgements.items, run.items)[run.item]
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
