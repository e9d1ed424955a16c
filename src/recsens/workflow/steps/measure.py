"""Compute one metric on every ranking of a study, at all cut-offs in one pass."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recsens.aggregation import counted
from recsens.artefacts import storage
from recsens.artefacts.filesets import ListFiles, PositionFiles
from recsens.measuring.ranked import CELL, RankedUsers, cell_columns, known_of, pooled_column, random_column, walk
from recsens.metrics import Judged, ListMetric, Lists, Metric
from recsens.users import Users
from recsens.vocabulary import COVERAGES, View
from recsens.workflow.steps._shelf import Shelf

Floats = NDArray[np.float64]


def measure(
    *,
    rankings: Sequence[PositionFiles],
    lists: Sequence[ListFiles] = (),
    measures: str,
    metric: str,
    cutoffs: Sequence[int],
    cells: Sequence[Sequence[tuple[View, float | None]]],
    selections: Sequence[str] = (),
) -> None:
    """Write a metric's value for each user, one column per cut-off, for each ranking, view and relevance threshold.

    Under 1R it is the mean over the user's relevant ratings, percentile by percentile. Beside them stand the values that a random
    order of the same targets has on average, if the metric knows them. A pooled metric has one row per ranking,
    view and threshold, and one column per cut-off, policy of coverage and selection of users. Only a metric of lists is given
    ``lists``, in the order of ``rankings``.
    """
    component = Metric.build(metric)
    depths = tuple(cutoffs)
    columns_of_items, timed = (
        (component.item_columns, component.needs_timestamps) if isinstance(component, ListMetric) else ((), False)
    )
    index_of = {str(Path(path).parent): index for index, path in enumerate(files.positions for files in rankings)}
    shelf = Shelf(lists, columns_of_items, timed)
    seen, values, has_expected = [], [], False
    for cell, ranked, judged in walk(rankings, cells):
        top = shelf.lists(index_of[cell.ranking], judged, cell.view) if lists else None
        seen.append(cell)
        if component.unit == "pooled":
            values.append(_pooled(component, ranked, judged, top, depths, selections))
        else:
            expected = component.at_random(ranked.unordered(judged, cell.view), depths)
            has_expected = expected is not None
            found = values_of(component, judged, top, depths)
            values.append(ranked.grouped(found if expected is None else np.hstack([found, expected])))
    names = [f"@{cutoff}" for cutoff in depths]
    names += [random_column(cutoff) for cutoff in depths if has_expected]
    if component.unit == "pooled":
        names = [pooled_column(cutoff, each, policy) for each in selections for policy in COVERAGES for cutoff in depths]
    table = np.concatenate([value.reshape(-1, len(names)) for value in values])
    shapes = {"n_groups": [len(value) for value in values], "n_users": [value.shape[1] for value in values]}
    columns = dict(zip(names, table.T, strict=True))
    storage.write_table(measures, CELL, {**cell_columns(seen, **shapes), **columns})


def values_of(metric: Metric, judged: Judged, top: Lists | None, cutoffs: tuple[int, ...]) -> Floats:
    """Return a metric's values for rankings, shape (n_rankings, n_cutoffs); a metric of lists also reads the lists."""
    if isinstance(metric, ListMetric) and top is not None:
        return metric.measure_lists(top, judged, cutoffs)
    return metric.measure(judged, cutoffs)


def _pooled(
    metric: Metric, ranked: RankedUsers, judged: Judged, top: Lists | None, cutoffs: tuple[int, ...], selections: Sequence[str]
) -> Floats:
    """Pool the users admitted by each selection and policy of coverage and measure them, shape (1, 1, n_columns)."""
    known = known_of(ranked, judged)
    measured: dict[bytes, Floats] = {}
    values = []
    for selection in selections:
        chosen = Users.build(selection)
        admitted = chosen.admit(known)
        for policy in COVERAGES:
            kept = counted(admitted, known.listed, policy)
            # Mostly the same users: everybody is admitted and covered.
            if kept.tobytes() not in measured:
                measured[kept.tobytes()] = _over_groups(metric, ranked, judged, top, cutoffs, kept)
            values.append(measured[kept.tobytes()])
    return np.concatenate(values)[np.newaxis, np.newaxis]


def _over_groups(
    metric: Metric, ranked: RankedUsers, judged: Judged, top: Lists | None, cutoffs: tuple[int, ...], kept: NDArray[np.bool_]
) -> Floats:
    """Measure the users kept, under 1R the mean over groups of their ratings that are not empty, shape (n_cutoffs,)."""
    if ranked.by_rating is None:
        return values_of(metric, judged.of_users(kept), None if top is None else top.of_users(kept), cutoffs).ravel()
    group, is_kept = ranked.by_rating.group, kept[ranked.user]
    parts = [judged.of_users(is_kept & (group == each)) for each in np.unique(group[is_kept])] or [judged.of_users(is_kept)]
    return np.asarray(np.mean([metric.measure(part, cutoffs)[0] for part in parts], axis=0))
