"""Measure: one metric on every ranking of a study, at all cut-offs in one pass."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recsens import plugins, tables
from recsens.aggregation._coverage import counted
from recsens.measures import CELL, RankedUsers, cell_columns, known_of, pooled_column, walk
from recsens.metrics import Judged, ListMetric, Lists, Metric
from recsens.steps._shelf import Shelf
from recsens.users import Users
from recsens.vocabulary import COVERAGES, View

Floats = NDArray[np.float64]


def measure(
    *,
    positions: Sequence[str],
    users: Sequence[str],
    datasets: Sequence[str],
    lists: Sequence[str] = (),
    interactions: Sequence[str] = (),
    item_tables: Sequence[str] = (),
    roles: Sequence[str] = (),
    measures: str,
    metric: str,
    cutoffs: Sequence[int],
    cells: Sequence[Sequence[tuple[View, float | None]]],
    selections: Sequence[str] = (),
) -> None:
    """Write a metric's value for each user, one column a cut-off, for each ranking, view and threshold of relevance.

    Under 1R it is the mean over the user's relevant ratings, percentile by percentile. A pooled metric has one row a ranking, view
    and threshold, and one column a cut-off, policy of coverage and selection of users. Only a metric of lists is given the files
    of lists, interactions, items and roles.
    """
    component: Metric = plugins.build("metric", metric)
    depths = tuple(cutoffs)
    columns_of_items = component.item_columns if isinstance(component, ListMetric) else ()
    places = {str(Path(path).parent): place for place, path in enumerate(positions)}
    shelf = Shelf(lists, interactions, item_tables, roles, columns_of_items)
    seen, values = [], []
    for cell, ranked, judged in walk(positions, users, datasets, cells):
        top = shelf.lists(places[cell.ranking], judged, cell.view) if lists else None
        seen.append(cell)
        if component.unit == "pooled":
            values.append(_pooled(component, ranked, judged, top, depths, selections))
        else:
            values.append(ranked.grouped(_measured(component, judged, top, depths)))
    names = [f"@{cutoff}" for cutoff in depths]
    if component.unit == "pooled":
        names = [pooled_column(cutoff, each, policy) for each in selections for policy in COVERAGES for cutoff in depths]
    table = np.concatenate([value.reshape(-1, len(names)) for value in values])
    shapes = {"n_groups": [len(value) for value in values], "n_users": [value.shape[1] for value in values]}
    columns = {name: table[:, place] for place, name in enumerate(names)}
    tables.write_table(measures, CELL, {**cell_columns(seen, **shapes), **columns})


def _measured(metric: Metric, judged: Judged, top: Lists | None, cutoffs: tuple[int, ...]) -> Floats:
    if isinstance(metric, ListMetric) and top is not None:
        return metric.measure_lists(top, judged, cutoffs)
    return metric.measure(judged, cutoffs)


def _pooled(
    metric: Metric, ranked: RankedUsers, judged: Judged, top: Lists | None, cutoffs: tuple[int, ...], selections: Sequence[str]
) -> Floats:
    """Measure all users at once whom each selection and policy of coverage let in, shape (1, 1, n_columns)."""
    known = known_of(ranked, judged)
    found: dict[bytes, Floats] = {}
    values = []
    for selection in selections:
        chosen: Users = plugins.build("users", selection)
        admitted = chosen.admit(known)
        for policy in COVERAGES:
            kept = counted(admitted, known.listed, policy)
            # Mostly the same users: everybody is admitted, and everybody covered.
            if kept.tobytes() not in found:
                lists = None if top is None else top.of_users(kept)
                found[kept.tobytes()] = _measured(metric, judged.of_users(kept), lists, cutoffs)
            values.append(found[kept.tobytes()][0])
    return np.concatenate(values)[np.newaxis, np.newaxis]
