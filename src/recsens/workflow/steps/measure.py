"""Compute one metric on every ranking of a study, at all cut-offs in one pass."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recsens.artefacts.filesets import ListFiles, PositionFiles
from recsens.comparison.aggregation import counted
from recsens.comparison.users import Users
from recsens.metrics import Judged, ListMetric, Lists, Metric
from recsens.outcomes.measuring.stored_rankings import (
    CELL,
    Cell,
    Look,
    RankedUsers,
    known_of,
    pooled_column,
    random_column,
    settled_column,
    walk,
    walk_stretches,
    write_cells,
)
from recsens.outcomes.measuring.tied import SettledUsers, depends_on_ties
from recsens.vocabulary import COVERAGES, View
from recsens.workflow.steps._list_input import Shelf

Floats = NDArray[np.float64]


def measure(
    *,
    rankings: Sequence[PositionFiles],
    lists: Sequence[ListFiles] = (),
    item_tables: Sequence[str] = (),
    measures: str,
    metric: str,
    cutoffs: Sequence[int],
    cells: Sequence[Sequence[tuple[View, float | None]]],
    left_out: Sequence[Sequence[tuple[View, float | None]]] = (),
    selections: Sequence[str] = (),
) -> None:
    """Write a metric's value for each user, one column per cut-off, for each ranking, view and relevance threshold.

    Under 1R, the value is the mean over the user's relevant ratings, percentile by percentile. Further columns say whether every
    order of the same targets has the same value, and contain the value expected for a random order, if the metric has a formula for
    it. A pooled metric has one row per ranking, view and threshold, and one column per cut-off, coverage policy and selection of
    users. Values are NaN under the views and thresholds in ``left_out``, which has the form of ``cells``. Only a list metric
    receives ``lists``, in the order of ``rankings``. Only a metric that reads item columns receives ``item_tables``, one per
    filtered data set.
    """
    component = Metric.build(metric)
    depths = tuple(cutoffs)
    unmeasured = {Cell(_folder(files), *look) for files, looks in zip(rankings, left_out, strict=False) for look in looks}
    if component.unit == "user" and not lists and not unmeasured:
        measure_together(rankings=rankings, measures=[measures], metrics=[metric], cutoffs=[depths], cells=cells)
        return
    names = _columns(component, depths)
    if component.unit == "pooled":
        names = [pooled_column(cutoff, each, policy) for each in selections for policy in COVERAGES for cutoff in depths]
    found = _of_all(component, rankings, lists, item_tables, depths, cells, selections, unmeasured)
    write_cells({measures: names}, CELL, ((cell, [values]) for cell, values in found))


def measure_together(
    *,
    rankings: Sequence[PositionFiles],
    measures: Sequence[str],
    metrics: Sequence[str],
    cutoffs: Sequence[Sequence[int]],
    cells: Sequence[Sequence[tuple[View, float | None]]],
) -> None:
    """Write the files of several metrics, of which each has a value for every user and reads no lists.

    Each ranking is read once for all these metrics, and their results for a ranking are in memory at the same time.
    """
    asked = [(Metric.build(metric), tuple(depths)) for metric, depths in zip(metrics, cutoffs, strict=True)]
    settled = SettledUsers()

    def of_users(cell: Cell, ranked: RankedUsers, judged: Judged) -> list[Floats]:
        return [_of_each(metric, cell, ranked, judged, None, depths, settled) for metric, depths in asked]

    files = {path: _columns(metric, depths) for path, (metric, depths) in zip(measures, asked, strict=True)}
    write_cells(files, CELL, walk_stretches(rankings, cells, of_users))


def _folder(files: PositionFiles) -> str:
    return str(Path(files.positions).parent)


def _columns(metric: Metric, cutoffs: Sequence[int]) -> list[str]:
    settled = map(settled_column, cutoffs) if depends_on_ties(metric) else ()
    return [*(f"@{cutoff}" for cutoff in cutoffs), *settled, *map(random_column, cutoffs)]


def _of_all(
    metric: Metric,
    rankings: Sequence[PositionFiles],
    lists: Sequence[ListFiles],
    item_tables: Sequence[str],
    cutoffs: tuple[int, ...],
    cells: Sequence[Sequence[Look]],
    selections: Sequence[str],
    unmeasured: Collection[Cell],
) -> Iterator[tuple[Cell, Floats]]:
    """Measure all users of a ranking at once, for pooled metrics and for list metrics, which read whole lists."""
    index_of = {_folder(files): index for index, files in enumerate(rankings)}
    columns, timed = (metric.item_columns, metric.needs_timestamps) if isinstance(metric, ListMetric) else ((), False)
    shelf = Shelf(lists, columns, timed, {str(Path(path).parent): path for path in item_tables})
    later: list[tuple[Cell, tuple[int, int]]] = []
    n_columns = 0
    for cell, ranked, judged in walk(rankings, cells):
        if cell in unmeasured:
            later.append((cell, (1, 1) if metric.unit == "pooled" else (ranked.n_groups, ranked.n_users)))
            continue
        top = shelf.lists(index_of[cell.ranking], judged, cell.view) if lists else None
        if metric.unit == "pooled":
            values = _pooled(metric, ranked, judged, top, cutoffs, selections)
        else:
            values = _of_each(metric, cell, ranked, judged, top, cutoffs, SettledUsers())
        n_columns = values.shape[-1]
        yield cell, values
    # Only what is measured shows whether the metric has a formula for a random order.
    yield from ((cell, np.full((*shape, n_columns), np.nan)) for cell, shape in later)


def _of_each(
    metric: Metric,
    cell: Cell,
    ranked: RankedUsers,
    judged: Judged,
    top: Lists | None,
    cutoffs: tuple[int, ...],
    settled: SettledUsers,
) -> Floats:
    """Measure each user, shape (n_groups, n_users, n_columns): a column per cut-off, and those that `_columns` names."""
    expected = metric.at_random(ranked.unordered(judged, cell.view), cutoffs)
    parts = [ranked.grouped(values_of(metric, judged, top, cutoffs))]
    if depends_on_ties(metric):
        parts.append(settled.of(metric, cutoffs, cell, ranked, expected).astype(np.float64))
    if expected is not None:
        parts.append(ranked.grouped(expected))
    return np.concatenate(parts, axis=-1)


def values_of(metric: Metric, judged: Judged, top: Lists | None, cutoffs: tuple[int, ...]) -> Floats:
    """Return a metric's values for rankings, shape (n_rankings, n_cutoffs); list metrics also read the lists."""
    if isinstance(metric, ListMetric) and top is not None:
        return metric.measure_lists(top, judged, cutoffs)
    return metric.measure(judged, cutoffs)


def _pooled(
    metric: Metric, ranked: RankedUsers, judged: Judged, top: Lists | None, cutoffs: tuple[int, ...], selections: Sequence[str]
) -> Floats:
    """Pool the users admitted by each selection and coverage policy, and measure them, shape (1, 1, n_columns)."""
    known = known_of(ranked, judged)
    measured: dict[bytes, Floats] = {}
    values = []
    for selection in selections:
        chosen = Users.build(selection)
        admitted = chosen.admit(known)
        for policy in COVERAGES:
            kept = counted(admitted, known.listed, policy)
            # Several columns often cover the same users, because all users are admitted and covered.
            if kept.tobytes() not in measured:
                measured[kept.tobytes()] = _over_groups(metric, ranked, judged, top, cutoffs, kept)
            values.append(measured[kept.tobytes()])
    return np.concatenate(values)[np.newaxis, np.newaxis]


def _over_groups(
    metric: Metric, ranked: RankedUsers, judged: Judged, top: Lists | None, cutoffs: tuple[int, ...], kept: NDArray[np.bool_]
) -> Floats:
    """Measure the users in ``kept``, shape (n_cutoffs,); under 1R, average over the non-empty groups of these users' ratings."""
    if ranked.by_rating is None:
        return values_of(metric, judged.of_users(kept), None if top is None else top.of_users(kept), cutoffs).ravel()
    group, is_kept = ranked.by_rating.group, kept[ranked.user]
    parts = [judged.of_users(is_kept & (group == each)) for each in np.unique(group[is_kept])] or [judged.of_users(is_kept)]
    return np.asarray(np.mean([metric.measure(part, cutoffs)[0] for part in parts], axis=0))
