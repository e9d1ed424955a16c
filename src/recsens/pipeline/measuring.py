"""Measure rankings: every metric's values, under each view and relevance threshold of each ranking."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.artefacts.filesets import ListFiles, PositionFiles
from recsens.comparison.aggregation import counted
from recsens.comparison.users import Users
from recsens.metrics import Judged, ListMetric, Lists, Metric
from recsens.outcomes.completions import expected_values
from recsens.outcomes.measuring.stored_lists import StoredLists
from recsens.outcomes.measuring.stored_rankings import (
    Cell,
    Look,
    RankedUsers,
    pooled_column,
    population_of,
    random_column,
    settled_column,
    walk,
)
from recsens.outcomes.measuring.tied import SettledUsers, depends_on_ties
from recsens.vocabulary import COVERAGES, rate_of

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class MetricTask:
    """A metric to measure.

    Attributes
    ----------
    metric, cutoffs
        The metric, and all its cut-offs, which are measured in one pass.
    selections
        The selections of users (B1) for each of which a pooled metric has a value.
    """

    metric: Metric
    cutoffs: tuple[int, ...]
    selections: Sequence[str] = ()

    @property
    def needs_all_users(self) -> bool:
        """Whether all users of a ranking are measured at once: if the metric pools users, or reads whole lists."""
        return self.metric.unit == "pooled" or self.metric.reads == "lists"

    @property
    def columns(self) -> list[str]:
        """Names of the columns of values; the columns of a random order come last, as few metrics have a formula for them."""
        if self.metric.unit == "pooled":
            return [
                pooled_column(cutoff, each, policy) for each in self.selections for policy in COVERAGES for cutoff in self.cutoffs
            ]
        settled = map(settled_column, self.cutoffs) if depends_on_ties(self.metric) else ()
        return [*(f"@{cutoff}" for cutoff in self.cutoffs), *settled, *map(random_column, self.cutoffs)]


def user_values(
    task: MetricTask, cell: Cell, ranked: RankedUsers, judged: Judged, settled: SettledUsers, lists: Lists | None = None
) -> Floats:
    """Measure each user, shape (n_groups, n_users, n_columns): a column per cut-off, and those that `MetricTask.columns` names."""
    metric, cutoffs, rate = task.metric, task.cutoffs, rate_of(cell.view)
    expected = metric.at_random(ranked.unordered(judged, cell.view), cutoffs)
    parts = [ranked.grouped(values_at_cutoffs(metric, judged, lists, cutoffs, rate))]
    if rate and expected is not None:
        # These formulas are for unrated items that are not relevant.
        expected = np.full_like(expected, np.nan)
    if depends_on_ties(metric):
        # Where unrated items may be relevant, no user's value is known to be the same for all orders.
        known = np.zeros(parts[0].shape) if rate else settled.of(metric, cutoffs, cell, ranked, expected)
        parts.append(known.astype(np.float64))
    if expected is not None:
        parts.append(ranked.grouped(expected))
    return np.concatenate(parts, axis=-1)


def values_at_cutoffs(metric: Metric, judged: Judged, lists: Lists | None, cutoffs: tuple[int, ...], rate: float = 0.0) -> Floats:
    """Return a metric's values for rankings, shape (n_rankings, n_cutoffs); list metrics also read the lists.

    With a ``rate``, unrated items are relevant with this probability, and values are expected values.
    """
    if rate:
        return expected_values(metric, judged, cutoffs, rate)
    if isinstance(metric, ListMetric) and lists is not None:
        return metric.measure_lists(lists, judged, cutoffs)
    return metric.measure(judged, cutoffs)


def pooled_values(task: MetricTask, ranked: RankedUsers, judged: Judged, lists: Lists | None) -> Floats:
    """Pool the users admitted by each selection and coverage policy, and measure them, shape (1, 1, n_columns)."""
    known = population_of(ranked, judged)
    measured: dict[bytes, Floats] = {}
    values = []
    for selection in task.selections:
        admitted = Users.build(selection).admit(known)
        for policy in COVERAGES:
            kept = counted(admitted, known.listed, policy)
            # Several columns often cover the same users, because all users are admitted and covered.
            if kept.tobytes() not in measured:
                measured[kept.tobytes()] = measure_pooled(task.metric, task.cutoffs, ranked, judged, lists, kept)
            values.append(measured[kept.tobytes()])
    return np.concatenate(values)[np.newaxis, np.newaxis]


def measure_pooled(
    metric: Metric, cutoffs: tuple[int, ...], ranked: RankedUsers, judged: Judged, lists: Lists | None, kept: NDArray[np.bool_]
) -> Floats:
    """Measure the users in ``kept``, shape (n_cutoffs,); under 1R, average over the non-empty groups of these users' ratings."""
    if ranked.by_rating is None:
        return values_at_cutoffs(metric, judged.of_users(kept), None if lists is None else lists.of_users(kept), cutoffs).ravel()
    group, is_kept = ranked.by_rating.group, kept[ranked.user]
    parts = [judged.of_users(is_kept & (group == each)) for each in np.unique(group[is_kept])] or [judged.of_users(is_kept)]
    return np.asarray(np.mean([metric.measure(part, cutoffs)[0] for part in parts], axis=0))


def measure_all_users(
    task: MetricTask,
    rankings: Sequence[PositionFiles],
    cells: Sequence[Sequence[Look]],
    lists: Sequence[ListFiles] = (),
    item_tables: Sequence[str] = (),
    unmeasured: Collection[Cell] = (),
) -> Iterator[tuple[Cell, Floats]]:
    """Measure all users of a ranking at once, ranking by ranking; values are NaN in the cells ``unmeasured``.

    Only a list metric reads ``lists``, in the order of ``rankings``, and the ``item_tables`` of filtered data sets.
    """
    metric = task.metric
    index_of = {ranking_folder(files): index for index, files in enumerate(rankings)}
    tables = {str(Path(path).parent): path for path in item_tables}
    stored = StoredLists(lists, [metric] if isinstance(metric, ListMetric) else [], tables)
    later: list[tuple[Cell, tuple[int, int]]] = []
    n_columns = 0
    for cell, ranked, judged in walk(rankings, cells):
        if cell in unmeasured:
            later.append((cell, (1, 1) if metric.unit == "pooled" else (ranked.n_groups, ranked.n_users)))
            continue
        top = stored.lists(index_of[cell.ranking], judged, cell.view) if lists else None
        if metric.unit == "pooled":
            values = pooled_values(task, ranked, judged, top)
        else:
            values = user_values(task, cell, ranked, judged, SettledUsers(), top)
        n_columns = values.shape[-1]
        yield cell, values
    # Only what is measured shows whether the metric has a formula for a random order.
    yield from ((cell, np.full((*shape, n_columns), np.nan)) for cell, shape in later)


def ranking_folder(files: PositionFiles) -> str:
    """Return the folder of a ranking's files, which identifies the ranking."""
    return str(Path(files.positions).parent)


def columns_by_name(names: Sequence[str], values: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Return the columns of an array, each contiguous; there may be fewer columns than names."""
    return {name: np.ascontiguousarray(values[..., nth]) for nth, name in zip(range(values.shape[-1]), names, strict=False)}
