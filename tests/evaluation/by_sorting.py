"""Positions in compact scores by sorting each user's scores: the slow definition of what `RankedScores` finds by counting."""

from __future__ import annotations

import numpy as np

from recsens.evaluation import _kernels
from recsens.evaluation._ranking import TIES, Judgements, RunPositions, frozen, matched_with, name_rank
from recsens.evaluation._score_file_positions import (
    _note_of_lacking,
    _note_of_ties,
    _note_without_train,
    _ScorableUsers,
)
from recsens.evaluation._settings import Settings, Ties
from recsens.evaluation._train_pairs import TrainPairs, left_out_in_words
from recsens.files import found_in
from recsens.score_files import ScoreFile


def positions_by_sorting(
    run: ScoreFile, judgements: Judgements, settings: Settings, ties: Ties, train: TrainPairs | None
) -> RunPositions:
    """Write a block's scores as rows of a run, and find the judged items as in a table."""
    scorable = _ScorableUsers.of(run, judgements, train, settings)
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
