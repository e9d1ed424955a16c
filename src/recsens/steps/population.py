"""Population: what is known of every user of every ranking of a study."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recsens import tables
from recsens.measures import POPULATION, RankedUsers, cell_columns, walk
from recsens.metrics import Judged
from recsens.vocabulary import View


def population(
    *,
    positions: Sequence[str],
    users: Sequence[str],
    datasets: Sequence[str],
    population: str,
    cells: Sequence[Sequence[tuple[View, float | None]]],
) -> None:
    """Write each user's numbers of train, test, relevant and listed items, for each ranking, view and threshold.

    The weight is the number of rankings measured of the user; under 1R there is one row a user and percentile.
    """
    seen, groups, counts = [], [], []
    for cell, ranked, judged in walk(positions, users, datasets, cells):
        seen.append(cell)
        groups.append(ranked.n_groups)
        known = np.stack([ranked.counts["train"], ranked.counts["test"], *_of_rankings(ranked, judged)], axis=1)
        counts.append(np.column_stack([np.tile(known, (ranked.n_groups, 1)), ranked.weights.ravel()]))
    table = np.concatenate(counts)
    columns = {name: table[:, place] for place, name in enumerate(("train", "test", "relevant", "listed", "weight"))}
    n_users = [len(count) // n for count, n in zip(counts, groups, strict=True)]
    tables.write_table(population, POPULATION, {**cell_columns(seen, n_users, groups), **columns})


def _of_rankings(ranked: RankedUsers, judged: Judged) -> tuple[np.ndarray, np.ndarray]:
    """Return each user's number of relevant items and the length of the ranking, or of what the user's rankings draw from (1R)."""
    if ranked.by_rating is None:
        return judged.n_relevant, judged.listed
    return ranked.weights.sum(axis=0), ranked.counts["scored"]
