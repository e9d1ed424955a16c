"""Judged positions of compact scores: scored, ranked and let go block by block of judged users."""

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
from recsens.evaluation._train_pairs import TrainPairs
from recsens.score_files import ScoreFile, describe
from recsens.users_at_once import USERS_AT_ONCE


def positions_of_scores(
    run: ScoreFile, judgements: Judgements, settings: Settings, ties: Ties, train: TrainPairs | None
) -> RunPositions:
    """Rank, for each judged user, the items that have a score and are not in train, and find those of the judgements.

    Raises DataError if the order is not to be that of scores, if weights between items have no train set, or if no user is in both.
    """
    _refuse_other_order(run, settings)
    scorable = _ScorableUsers.of(run, judgements, train)
    refuse_no_common_user(scorable.judged_by, scorable.users, judgements.users, run.source)
    n, judged_as, names = len(judgements.worth), found_in(run.items, judgements.items), name_rank(run.items)
    position, scored, listed = np.zeros(n, dtype=np.int64), np.full(n, np.nan), np.zeros(judgements.n_users, dtype=np.int64)
    ends, n_left_out, is_whole, n_tied = (np.inf, -np.inf), 0, False, 0
    for rows, scores, left_out in scorable.blocks(settings):
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
        is_whole = is_whole or bool((lengths == len(run.items)).any())
        ends = (min(ends[0], values.min(initial=np.inf)), max(ends[1], values.max(initial=-np.inf)))
    matched = matched_with(judgements, scorable.users, run.items, scorable.judged_by, listed, position)
    notes = [_note_of_train(train, n_left_out, is_whole=is_whole), _note_of_ties(run, n_tied, matched.n_shared_pairs)]
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
    """The users whom a run can score, the judged user of each or -1, and what is known of them in train."""

    run: ScoreFile
    users: Sequence[str]
    judged_by: NDArray[np.int64]
    train: csr_array | None

    @classmethod
    def of(cls, run: ScoreFile, judgements: Judgements, train: TrainPairs | None) -> _ScorableUsers:
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
        return cls(run, users, found_in(judgements.users, users), known)

    def blocks(self, settings: Settings) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64], int]]:
        """Yield the rows of judged users, their scores, NaN for pairs of train, and the number of scores of such pairs."""
        # Imported here, since runs in tables should not wait for the kernels of recommenders.
        from recsens.recommenders.score_blocks import block_of  # noqa: PLC0415

        judged = np.flatnonzero(self.judged_by >= 0)
        for rows in np.split(judged, range(USERS_AT_ONCE, len(judged), USERS_AT_ONCE)):
            known = None if self.train is None else self.train[rows]
            profile = self.run.kind == "item_weights"
            scores: NDArray[Any] = block_of(self.run.kind, self.run.arrays, np.arange(len(rows)) if profile else rows, known)
            # A copy, since pairs of train are struck out, and the arrays of a file stay as they are.
            scores = (scores.astype(np.float32) if settings.single_precision else scores).astype(np.float64)
            left_out = 0
            if known is not None:
                pairs = np.repeat(np.arange(len(rows)), np.diff(known.indptr)), known.indices
                left_out = int(np.count_nonzero(~np.isnan(scores[pairs])))
                scores[pairs] = np.nan
            yield rows, scores, left_out


def _refuse_other_order(run: ScoreFile, settings: Settings) -> None:
    if settings.rank_by != "score":
        what = "ranks" if settings.rank_by == "rank" else "order of rows"
        raise DataError(
            f"{describe(run)} have no {what}: scores order the items",
            where=run.source,
            remedy='order by scores: --rank-by score, rank_by="score"',
        )


def _note_of_train(train: TrainPairs | None, n_left_out: int, *, is_whole: bool) -> str:
    if train is not None:
        return left_out_in_words(n_left_out)
    told = "every item of the file is ranked for some users, those of train too: give the train set (--train, train=...)"
    return told if is_whole else ""


def left_out_in_words(n: int) -> str:
    """Say how many scores of train pairs were left out."""
    return f"{n:,} scores of train pairs are left out"


def _note_of_ties(run: ScoreFile, n_tied: int, n_ranked: int) -> str:
    if not run.is_half_precision:
        return ""
    return (
        f"the file holds numbers of 16 bits, and rounding makes scores equal: {n_tied:,} of {n_ranked:,} judged items that are "
        "ranked share their score with another item; how many of these ties rounding made, the file does not say"
    )
