"""Compute one metric on every ranking of a study, at all cut-offs in one pass."""

from collections.abc import Iterable, Sequence
from typing import Any

from recsens.artefacts.filesets import ListFiles, PositionFiles
from recsens.metrics import Metric
from recsens.outcomes.measuring.stored_rankings import CELL, Cell, walk_stretches, write_cells
from recsens.outcomes.measuring.tied import SettledUsers
from recsens.pipeline.measuring import MetricTask, measure_all_users, ranking_folder, user_values
from recsens.vocabulary import Reading


def measure(
    *,
    rankings: Sequence[PositionFiles],
    lists: Sequence[ListFiles] = (),
    item_tables: Sequence[str] = (),
    measures: str,
    metric: str,
    cutoffs: Sequence[int],
    cells: Sequence[Sequence[tuple[Reading, float | None]]],
    left_out: Sequence[Sequence[tuple[Reading, float | None]]] = (),
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
    task = MetricTask(Metric.build(metric), tuple(cutoffs), selections)
    unmeasured = {Cell(ranking_folder(files), *look) for files, looks in zip(rankings, left_out, strict=False) for look in looks}
    if task.needs_all_users or unmeasured:
        of_all = measure_all_users(task, rankings, cells, lists, item_tables, unmeasured)
        found: Iterable[Any] = ((cell, [values]) for cell, values in of_all)
    else:
        settled = SettledUsers()
        found = walk_stretches(rankings, cells, lambda cell, ranked, judged: [user_values(task, cell, ranked, judged, settled)])
    write_cells({measures: task.columns}, CELL, found)
