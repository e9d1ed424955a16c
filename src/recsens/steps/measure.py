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
    views: Sequence[View],
    relevances: Sequence[float | None],
) -> None:
    """Write a metric's value for each user, one column a cut-off, for each ranking, view and threshold of relevance."""
    component: Metric = plugins.build("metric", metric)
    cells, values = [], []
    for cell, _, judged in walk(positions, users, datasets, views, relevances):
        cells.append(cell)
        values.append(component.measure(judged, tuple(cutoffs)))
    table = np.concatenate(values)
    columns = {f"@{cutoff}": table[:, place] for place, cutoff in enumerate(cutoffs)}
    tables.write_table(measures, CELL, {**cell_columns(cells, list(map(len, values))), **columns})
