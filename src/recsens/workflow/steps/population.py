"""Collect counts of every user in every ranking of a study."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recsens.artefacts import storage
from recsens.artefacts.filesets import PositionFiles
from recsens.measuring.ranked import POPULATION, cell_columns, known_of, walk
from recsens.vocabulary import View


def population(
    *,
    rankings: Sequence[PositionFiles],
    population: str,
    cells: Sequence[Sequence[tuple[View, float | None]]],
    depths: Sequence[int] = (),
) -> None:
    """Write each user's numbers of train, test, relevant and listed items, for each ranking, view and threshold.

    The weight is the user's number of measured rankings; under 1R there is one row for each user and percentile. Then follow the
    number of rankings with a target, the number of covered rankings and, for each depth d, the number of filled positions among the
    first d, which under 1R cannot be derived from the lengths of users' lists.
    """
    seen, groups, counts = [], [], []
    for cell, ranked, judged in walk(rankings, cells):
        seen.append(cell)
        groups.append(ranked.n_groups)
        known = known_of(ranked, judged)
        cover = ranked.cover(cell.view, judged, depths)
        by_user = np.stack([known.train, known.test, known.relevant, known.listed], axis=1)
        by_group = [ranked.weights, cover.rankings, cover.covered, *(cover.filled[depth] for depth in depths)]
        counts.append(np.column_stack([np.tile(by_user, (ranked.n_groups, 1)), *map(np.ravel, by_group)]))
    table = np.concatenate(counts)
    names = ("train", "test", "relevant", "listed", "weight", "rankings", "covered", *(f"@{depth}" for depth in depths))
    named = dict(zip(names, table.T, strict=True))
    n_users = [len(count) // n for count, n in zip(counts, groups, strict=True)]
    storage.write_table(population, POPULATION, {**cell_columns(seen, n_users, groups), **named})
