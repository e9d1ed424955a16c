"""Population: what is known of every user of every ranking of a study."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recsens import tables
from recsens.measures import POPULATION, cell_columns, walk
from recsens.vocabulary import View


def population(
    *,
    positions: Sequence[str],
    users: Sequence[str],
    datasets: Sequence[str],
    population: str,
    views: Sequence[View],
    relevances: Sequence[float | None],
) -> None:
    """Write each user's numbers of train, test, relevant and listed items, for each ranking, view and threshold."""
    cells, counts = [], []
    for cell, ranked, judged in walk(positions, users, datasets, views, relevances):
        cells.append(cell)
        counts.append(np.stack([ranked.counts["train"], ranked.counts["test"], judged.n_relevant, judged.listed], axis=1))
    table = np.concatenate(counts)
    columns = {name: table[:, place] for place, name in enumerate(("train", "test", "relevant", "listed"))}
    tables.write_table(population, POPULATION, {**cell_columns(cells, list(map(len, counts))), **columns})
