"""Judged positions from compact scores, which are computed, ranked and discarded one block of judged users at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from recsens.errors import DataError
from recsens.evaluation import _kernels
from recsens.evaluation._ranking import (
    TIES,
    Judgements,
    RunPositions,
    found_in,
    frozen,
    matched_with,
    name_rank,
    refuse_no_common_user,
)
from recsens.evaluation._settings import Settings, Ties
from recsens.evaluation._train_pairs import TrainPairs, left_out_in_words
from recsens.score_files import ScoreFile, describe
from recsens.users_at_once import USERS_AT_ONCE


def positions_of_scores(
    run: ScoreFile, judgements: Judgements, settings: Settings, ties: Ties, train: TrainPairs | None
) -> RunPositions:
    """For each judged user, rank the scored items that are not in train, and find the judged items' positions.

    Raises DataError if items are not ordered by score, if item-item weights come without a train set, or if the two share no user.
    """
    _refuse_other_order(run, settings)
    scorable = _ScorableUsers.of(run, judgements, train, settings)
    refuse_no_common_user(scorable.judged_by, scorable.users, judgements.users, run.source)
    n, judged_as, names = len(judgements.worth), found_in(run.items, judgements.items), name_rank(run.items)
    position, scored, listed = np.zeros(n, dtype=np.int64), np.full(n, np.nan), np.zeros(judgements.n_users, dtype=np.int64)
    ends, is_whole, n_tied = (np.inf, -np.inf), False, 0
    n_left_out, n_low = 0, 0
    for rows, scores, left_out, low in scorable.blocks(settings):
        has_score = ~np.isnan(scores)
        lengths = np.count_nonzero(has_score, axis=1)
        values = scores[has_score]
        *_, tied = _kernels.locate(
            *(np.empty(0, dtype=np.int64), np.concatenate([[0], np.cumsum(lengths)])),
            *(frozen(np.nonzero(has_score)[1].astype(np.int32)), frozen(values), scorable.judged_by[rows]),
            *(judged_as, names, judgements.starts, frozen(judgements.pool), frozen(judgements.worth), TIES[ties]),
            *(listed, position, scored),
        )
        n_tied += int(tied)
        n_left_out += left_out
        n_low += low
        is_whole = is_whole or bool((lengths == len(run.items)).any())
        ends = (min(ends[0], values.min(initial=np.inf)), max(ends[1], values.max(initial=-np.inf)))
    matched = matched_with(judgements, scorable.users, run.items, scorable.judged_by, listed, position)
    left = None if train is None or settings.train_items == "all" else left_out_in_words(n_left_out, n_low, settings)
    notes = [
        left or _note_without_train(train, is_whole=is_whole),
        _note_of_lacking(scorable.lacks),
        _note_of_ties(run, n_tied, matched.n_shared_pairs),
    ]
    return RunPositions(
        position,
        scored,
        listed,
        matched,
        is_tied=bool(ends[0] == ends[1]),
        n_tied=n_tied,
        notes=tuple(note for note in notes if note),
    )


@dataclass(frozen=True)
class _ScorableUsers:
    """The users a run can score, the judged user for each (or -1), and what train says about them.

    ``out`` are the pairs removed from the lists, ``low`` the train pairs rated too low to be removed, and ``lacks`` the items that
    train lacks, which are removed from all lists.
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
                    "weights between items give scores only with the items that each user has rated",
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
        return cls(run, users, found_in(judgements.users, users), known, out, low, lacks)

    def blocks(self, settings: Settings) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64], int, int]]:
        """Yield judged users' rows, their scores (NaN for removed items), and how many train items are removed and kept."""
        # Imported here, so that runs in tables need not wait for the kernels of recommenders.
        from recsens.recommenders.score_blocks import block_of  # noqa: PLC0415

        judged = np.flatnonzero(self.judged_by >= 0)
        for rows in np.split(judged, range(USERS_AT_ONCE, len(judged), USERS_AT_ONCE)):
            known = None if self.profile is None else self.profile[rows]
            profile = self.run.kind == "item_weights"
            scores: NDArray[Any] = block_of(self.run.kind, self.run.arrays, np.arange(len(rows)) if profile else rows, known)
            # Copy the scores: pairs of train are removed, but the file's arrays must not change.
            scores = (scores.astype(np.float32) if settings.single_precision else scores).astype(np.float64)
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
            remedy='order by scores: --rank-by score, rank_by="score"',
        )


def _note_of_lacking(lacks: NDArray[np.bool_]) -> str:
    return f"{np.count_nonzero(lacks):,} items that train lacks are left out" if lacks.any() else ""


def _note_without_train(train: TrainPairs | None, *, is_whole: bool) -> str:
    told = "every item of the file is ranked for some users, those of train too: give the train set (--train, train=...)"
    return told if is_whole and train is None else ""


def _note_of_ties(run: ScoreFile, n_tied: int, n_ranked: int) -> str:
    if not run.is_half_precision:
        return ""
    return (
        f"the file contains 16-bit numbers, and rounding makes scores equal: {n_tied:,} of {n_ranked:,} judged items that are "
        "ranked share their score with another item; the file does not show how many of these ties come from rounding"
    )
