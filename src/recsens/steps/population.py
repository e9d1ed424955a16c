"""Population: what is known of every user of every ranking of a study."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recsens import tables
from recsens.measures import POPULATION, cell_columns, known_of, walk
from recsens.vocabulary import View


def population(
    *,
    positions: Sequence[str],
    users: Sequence[str],
    datasets: Sequence[str],
    population: str,
    cells: Sequence[Sequence[tuple[View, float | None]]],
    depths: Sequence[int] = (),
) -> None:
    """Write each user's numbers of train, test, relevant and listed items, for each ranking, view and threshold.

    The weight is the number of rankings measured of the user; under 1R there is one row a user and percentile. Then follow the
    rankings that have something to hold, those that are covered, and the places filled among the first d for each depth d, which
    users' lengths of lists do not say under 1R.
    """
    seen, groups, counts = [], [], []
    for cell, ranked, judged in walk(positions, users, datasets, cells):
        seen.append(cell)
        groups.append(ranked.n_groups)
        known = known_of(ranked, judged)
        cover = ranked.cover(cell.view, judged, depths)
        by_user = np.stack([known.train, known.test, known.relevant, known.listed], axis=1)
        by_group = [ranked.weights, cover.rankings, cover.covered, *(cover.filled[depth] for depth in depths)]
        counts.append(np.column_stack([np.tile(by_user, (ranked.n_groups, 1)), *map(np.ravel, by_group)]))
    table = np.concatenate(counts)
    names = ("train", "test", "relevant", "listed", "weight", "rankings", "covered", *(f"@{depth}" for depth in depths))
    named = {name: table[:, place] for place, name in enumerate(names)}
    n_users = [len(count) // n for count, n in zip(counts, groups, strict=True)]
    tables.write_table(population, POPULATION, {**cell_columns(seen, n_users, groups), **named})
