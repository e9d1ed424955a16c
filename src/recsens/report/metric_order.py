"""The metrics in the order of a study's analyses, best first: the orders, sentences about them, and their table."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import pandas as pd

from recsens.arrays import in_order
from recsens.conclusions.meta import MetricAnalysis
from recsens.conclusions.verdicts.study_tables import records
from recsens.plugins.prose import listed
from recsens.study import Experiment, Study
from recsens.tables.cells import score_cell
from recsens.tables.numbers import MISSING, SPACE, estimate, score
from recsens.tables.table import Row, RowGroup, Table, TableCell


@dataclass(frozen=True, slots=True)
class PlacedMetric:
    """An analysis's finding about a metric: a number, its interval (or NaN), the number of cases, and the metric's rank."""

    metric: str
    value: float
    low: float
    high: float
    n: int
    rank: float


@dataclass(frozen=True)
class MetricOrder:
    """An analysis's order of metrics on one data set.

    Attributes
    ----------
    dataset, name
        Labels of the data set and of the analysis.
    analysis
        The plug-in.
    judged
        The metrics, best first; equal numbers have their mean rank, and metrics without a number come last.
    """

    dataset: str
    name: str
    analysis: MetricAnalysis
    judged: tuple[PlacedMetric, ...]

    @property
    def by_metric(self) -> dict[str, PlacedMetric]:
        """The metrics by name."""
        return {each.metric: each for each in self.judged}


def all_metric_orders(study: Study, findings: pd.DataFrame) -> list[MetricOrder]:
    """List the metric order for every analysis of a study, experiment by experiment."""
    return [order for part in study.all_experiments() for order in _orders_of(part, findings)]


def _orders_of(part: Experiment, findings: pd.DataFrame) -> Iterator[MetricOrder]:
    """Yield the order for each of an experiment's analyses on each data set, over all folds."""
    for dataset in part.datasets:
        for name, entry in part.analyses.items():
            analysis = cast("MetricAnalysis", entry.analysed)
            chosen = (findings["dataset"] == dataset) & (findings["analysis"] == name) & (findings["fold"] == "all")
            rows = findings[chosen & (findings["quantity"] == analysis.headline)]
            if len(rows):
                yield MetricOrder(dataset, name, analysis, _ordered_metrics(analysis, rows))


def _ordered_metrics(analysis: MetricAnalysis, rows: pd.DataFrame) -> tuple[PlacedMetric, ...]:
    ascending = not analysis.higher_is_better
    ranked = rows.assign(rank=rows["value"].rank(ascending=ascending, na_option="bottom"))
    ordered = ranked.sort_values("rank", kind="stable")
    return tuple(
        PlacedMetric(row["metric"], row["value"], row["low"], row["high"], int(row["n"]), row["rank"]) for row in records(ordered)
    )


def metrics_judged(orders: Iterable[MetricOrder], *, named: bool) -> list[str]:
    """Say, for each analysis, which metrics come first and last; with ``named``, each sentence names its data set."""
    return [_order_sentence(order, named=named) for order in orders if any(not math.isnan(placed.value) for placed in order.judged)]


def _order_sentence(order: MetricOrder, *, named: bool) -> str:
    with_value = [placed for placed in order.judged if not math.isnan(placed.value)]
    on = f"On {order.dataset}, " if named else ""
    best, worst = with_value[0], with_value[-1]
    head = order.analysis.headline
    if best.value == worst.value:
        return (
            f"{on or ''}{'all' if on else 'All'} {len(with_value)} metrics are equal by {order.name} ({head} {score(best.value)})."
        )
    level = [] if math.isnan(best.low) else [one.metric for one in with_value[1:] if best.low <= one.high and one.low <= best.high]
    few = level if len(level) < 4 else [*level[:3], f"{len(level) - 3} more"]
    beside = f"; its interval overlaps {'that' if len(level) == 1 else 'those'} of {listed(few)}" if level else ""
    return (
        f"{on}{'of' if on else 'Of'} {len(with_value)} metrics, {best.metric} {order.analysis.best_says} "
        f"({order.name}: {head} {_value_in_words(best)}){beside}. The worst is {worst.metric} ({_value_in_words(worst)})."
    )


def _value_in_words(placed: PlacedMetric) -> str:
    if math.isnan(placed.low):
        return score(placed.value)
    value, low, high = estimate(placed.value, placed.low, placed.high)
    return f"{value}, 95{SPACE}% CI {low} to {high}"


_NOTE = (
    "±: half the 95 % interval, if there is one. The interval covers other samples of the same test set, but not other users or "
    "systems. With many metrics, the best metric is best partly by chance. Mean rank: the average of a metric's ranks in the "
    "analyses, except in analyses of agreement with other metrics. Only the metrics that are judged by the largest number of "
    "analyses have a mean rank."
)


def metric_ranking(orders: Sequence[MetricOrder]) -> Table:
    """Show each analysis's result by metric and data set; metrics in the most analyses come first, ordered from best to worst."""
    names = in_order(order.name for order in orders)
    datasets = in_order(order.dataset for order in orders)
    headlines = {
        order.name: f"{order.name}: {order.analysis.headline} ({'more' if order.analysis.higher_is_better else 'less'} is better)"
        for order in orders
    }
    groups: list[RowGroup] = []
    for dataset in datasets:
        of_dataset = {each.name: each for each in orders if each.dataset == dataset}
        groups += _row_groups(of_dataset, names, dataset if len(datasets) > 1 else "")
    note = f"{'; '.join(headlines.values())}. {_NOTE}"
    return Table("metric-ranking", "The metrics judged", "Metric", (*names, "mean rank"), tuple(groups), (note,))


def _row_groups(orders: Mapping[str, MetricOrder], names: Sequence[str], title: str) -> list[RowGroup]:
    metrics = in_order(judged.metric for order in orders.values() for judged in order.judged)
    merits = {name: order for name, order in orders.items() if order.analysis.is_merit}
    judges = {metric: [name for name, order in merits.items() if metric in order.by_metric] for metric in metrics}
    most = max(judges.values(), key=len)
    shared = [metric for metric in metrics if judges[metric] == most]
    # Rank only the shared metrics, because an analysis of more metrics has more ranks.
    ranked = {name: pd.Series([orders[name].by_metric[each].rank for each in shared]).rank() for name in most}
    ranks = {name: dict(zip(shared, own, strict=True)) for name, own in ranked.items()}
    means = {metric: sum(each[metric] for each in ranks.values()) / len(ranks) for metric in shared if ranks}
    first = [
        Row(metric, (*_cells(metric, orders, names, ranks), TableCell(f"{means[metric]:.1f}", numbers=(means[metric],))))
        for metric in sorted(means, key=lambda metric: means[metric])
    ]
    others = [Row(metric, (*_cells(metric, orders, names, ranks), TableCell(MISSING))) for metric in metrics if metric not in means]
    some = "judged by fewer analyses"
    listed = [RowGroup(title, tuple(first)), RowGroup(f"{title}: {some}" if title else some.capitalize(), tuple(others))]
    return [group for group in listed if group.rows]


def _cells(
    metric: str, orders: Mapping[str, MetricOrder], names: Sequence[str], ranks: Mapping[str, Mapping[str, float]]
) -> list[TableCell]:
    cells = []
    for name in names:
        judged = orders[name].by_metric.get(metric) if name in orders else None
        if judged is None or math.isnan(judged.value):
            cells.append(TableCell(MISSING))
            continue
        spread = math.nan if math.isnan(judged.low) else (judged.high - judged.low) / 2
        rank_of = ranks.get(name, {})
        is_best = metric in rank_of and rank_of[metric] == min(rank_of.values())
        cells.append(score_cell(judged.value, spread, of=f"{name} {orders[name].analysis.headline}", is_best=is_best))
    return cells
