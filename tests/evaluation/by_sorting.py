"""Positions in compact scores by sorting each user's scores: the slow definition of what `RankedScores` finds by counting."""

from __future__ import annotations

from collections import Counter

import numpy as np

from recsens.metrics.variants.conventions import Ties
from recsens.runs.evaluation._evaluation import Settings
from recsens.runs.evaluation._file_positions import _ALL_RANKED, _note_of_ties, _ScorableUsers
from recsens.runs.evaluation._ranking import Judgements, RunPositions, matched_with
from recsens.runs.evaluation._train_pairs import TrainPairs, left_out_in_words
from recsens.score_files import ScoreFile


def positions_by_sorting(
    run: ScoreFile, judgements: Judgements, settings: Settings, ties: Ties, train: TrainPairs | None
) -> RunPositions:
    """Write a block's scores as rows of a run, and find the judged items as in a table."""
    scorable = _ScorableUsers.of(run, judgements, train, settings)
    n = len(judgements.worth)
    position, scored, listed = np.zeros(n, dtype=np.int64), np.full(n, np.nan), np.zeros(judgements.n_users, dtype=np.int64)
    ends, is_whole, n_tied = (np.inf, -np.inf), False, 0
    n_left_out, n_low = 0, 0
    for rows, scores, left_out, low in scorable.blocks(settings):
        has_score = ~np.isnan(scores)
        lengths = np.count_nonzero(has_score, axis=1)
        values = scores[has_score]
        for user, own in zip(scorable.judged_by[rows].tolist(), scores, strict=True):
            asked = range(judgements.starts[user], judgements.starts[user + 1])
            row_of = {judgements.items[judgements.pool[row]]: row for row in asked}
            worth = {index: judgements.worth[row_of[name]] for index, name in enumerate(run.items) if name in row_of}
            ranking = [index for index in range(len(own)) if not np.isnan(own[index])]
            if ties != "given":
                ranking.sort(key=lambda index: run.items[index], reverse=True)
            sign = {"pessimistic": 1, "optimistic": -1}.get(ties, 0)
            ranking.sort(key=lambda index: (-own[index], sign * worth.get(index, -np.inf) if sign else 0))
            equal = Counter(own[index] for index in ranking)
            listed[user] = len(ranking)
            for place, index in enumerate(ranking, 1):
                row = row_of.get(run.items[index])
                if row is not None:
                    position[row], scored[row] = place, own[index]
                    n_tied += equal[own[index]] > 1
        n_left_out += left_out
        n_low += low
        is_whole = is_whole or bool((lengths == len(run.items)).any())
        ends = (min(ends[0], values.min(initial=np.inf)), max(ends[1], values.max(initial=-np.inf)))
    matched = matched_with(judgements, scorable.users, run.items, scorable.judged_by, listed, position)
    left = "" if train is None or settings.train_items == "all" else left_out_in_words(n_left_out, n_low, settings)
    lacking = f"{np.count_nonzero(scorable.lacks):,} items without a train rating are left out" if scorable.lacks.any() else ""
    notes = [
        _ALL_RANKED if train is None and is_whole else "",
        left,
        lacking,
        _note_of_ties(n_tied, matched.n_shared_pairs) if run.is_half_precision else "",
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
