"""Measure a whole study in memory."""

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from recsens.artefacts.filesets import ListFiles, PositionFiles
from recsens.metrics import Judged
from recsens.outcomes.measuring.stored_measures import Measured
from recsens.outcomes.measuring.stored_rankings import Cell, Look, RankedUsers, count_columns, user_counts, walk_stretches
from recsens.outcomes.measuring.tied import SettledUsers
from recsens.pipeline.measuring import MetricTask, columns_by_name, measure_all_users, user_values
from recsens.recommenders import progress


def measure_in_memory(
    tasks: Mapping[str, MetricTask],
    rankings: Sequence[PositionFiles],
    lists: Sequence[ListFiles],
    cells: Sequence[Sequence[Look]],
    depths: Sequence[int],
) -> Measured:
    """Measure a study's metrics, by slug, and count its users; each ranking is read once for all metrics with values of users.

    The result is that of the steps ``count_ratings`` and ``measure``, without files.
    """
    by_user = {slug: task for slug, task in tasks.items() if not task.needs_all_users}
    settled, population = SettledUsers(), {}
    measures: dict[str, dict[Cell, dict[str, NDArray[Any]]]] = {slug: {} for slug in tasks}

    def measure_stretch(cell: Cell, ranked: RankedUsers, judged: Judged) -> list[NDArray[Any]]:
        values = [user_values(task, cell, ranked, judged, settled) for task in by_user.values()]
        return [user_counts(cell.view, ranked, judged, depths), *values]

    for cell, (counts, *values) in walk_stretches(progress(rankings, "rankings measured"), cells, measure_stretch):
        population[cell] = columns_by_name(count_columns(depths), counts)
        for (slug, task), own in zip(by_user.items(), values, strict=True):
            measures[slug][cell] = columns_by_name(task.columns, own)
    for slug, task in progress([item for item in tasks.items() if item[1].needs_all_users], "metrics of whole lists"):
        read = lists if task.metric.reads == "lists" else ()
        measures[slug] = {cell: columns_by_name(task.columns, own) for cell, own in measure_all_users(task, rankings, cells, read)}
    return Measured(population, measures.__getitem__)
