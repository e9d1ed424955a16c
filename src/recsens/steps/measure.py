"""Measure: one metric on every ranking of a study, at all cut-offs in one pass."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recsens import plugins, tables
from recsens.measures import CELL, cell_columns, walk
from recsens.metrics import Metric
from recsens.vocabulary import View


def measure(
    *,
    positions: Sequence[str],
    users: Sequence[str],
    datasets: Sequence[str],
    measures: str,
    metric: str,
    cutoffs: Sequence[int],
    cells: Sequence[Sequence[tuple[View, float | None]]],
) -> None:
    """Write a metric's value for each user, one column a cut-off, for each ranking, view and threshold of relevance.

    Under 1R it is the mean over the user's relevant ratings, percentile by percentile.
    """
    component: Metric = plugins.build("metric", metric)
    seen, values = [], []
    for cell, ranked, judged in walk(positions, users, datasets, cells):
        seen.append(cell)
        values.append(ranked.grouped(component.measure(judged, tuple(cutoffs))))
    table = np.concatenate([value.reshape(-1, len(cutoffs)) for value in values])
    columns = {f"@{cutoff}": table[:, place] for place, cutoff in enumerate(cutoffs)}
    shapes = {"n_groups": [len(value) for value in values], "n_users": [value.shape[1] for value in values]}
    tables.write_table(measures, CELL, {**cell_columns(seen, **shapes), **columns})
