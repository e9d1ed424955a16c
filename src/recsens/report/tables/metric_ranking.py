"""The metrics of a study, in the order of its analyses."""

import math
from collections.abc import Mapping, Sequence

from recsens.conclusions.verdicts.study_tables import in_order
from recsens.report.metric_order import MetricOrder
from recsens.tables.cells import score_cell
from recsens.tables.numbers import MISSING
from recsens.tables.table import Row, RowGroup, Table, TableCell

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
    groups = [
        group
        for dataset in datasets
        for group in _groups(
            {each.name: each for each in orders if each.dataset == dataset}, names, dataset if len(datasets) > 1 else ""
        )
    ]
    return Table(
        "metric-ranking",
        "The metrics judged",
        "Metric",
        (*names, "mean rank"),
        tuple(groups),
        (f"{'; '.join(headlines.values())}. {_NOTE}",),
    )


def _groups(orders: Mapping[str, MetricOrder], names: Sequence[str], title: str) -> list[RowGroup]:
    metrics = in_order(judged.metric for order in orders.values() for judged in order.judged)
    merits = {name: order for name, order in orders.items() if order.analysis.is_merit}
    judges = {metric: [name for name, order in merits.items() if metric in order.by_metric] for metric in metrics}
    most = max(judges.values(), key=len)
    shared = [metric for metric in metrics if judges[metric] == most]
    # Rank only the shared metrics, because an analysis of more metrics has more ranks.
    ranks = {name: _among(orders[name], shared) for name in most}
    means = {metric: sum(each[metric] for each in ranks.values()) / len(ranks) for metric in shared if ranks}
    first = [
        Row(metric, (*_cells(metric, orders, names, ranks), TableCell(f"{means[metric]:.1f}", numbers=(means[metric],))))
        for metric in sorted(means, key=lambda metric: means[metric])
    ]
    others = [Row(metric, (*_cells(metric, orders, names, ranks), TableCell(MISSING))) for metric in metrics if metric not in means]
    some = "judged by fewer analyses"
    listed = [RowGroup(title, tuple(first)), RowGroup(f"{title}: {some}" if title else some.capitalize(), tuple(others))]
    return [group for group in listed if group.rows]


def _among(order: MetricOrder, shared: Sequence[str]) -> dict[str, float]:
    """Rank the shared metrics by one analysis; equal metrics share their mean rank."""
    values = [order.by_metric[name].rank for name in shared]
    return {
        name: (sum(other < mine for other in values) + sum(other <= mine for other in values) + 1) / 2
        for name, mine in zip(shared, values, strict=True)
    }


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
