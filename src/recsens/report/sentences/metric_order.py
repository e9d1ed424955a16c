"""Sentences about the results of analyses of metrics."""

import math
from collections.abc import Iterable

from recsens.plugins.prose import listed
from recsens.report.metric_order import MetricOrder, PlacedMetric
from recsens.tables.numbers import SPACE, estimate, score


def metrics_judged(orders: Iterable[MetricOrder], *, named: bool) -> list[str]:
    """Say, for each analysis, which metrics come first and last; with ``named``, each sentence names its data set."""
    return [_sentence(order, named=named) for order in orders if any(not math.isnan(placed.value) for placed in order.judged)]


def _sentence(order: MetricOrder, *, named: bool) -> str:
    with_value = [placed for placed in order.judged if not math.isnan(placed.value)]
    on = f"On {order.dataset}, " if named else ""
    best, worst = with_value[0], with_value[-1]
    head = order.analysis.headline
    if best.value == worst.value:
        return (
            f"{on or ''}{'all' if on else 'All'} {len(with_value)} metrics are equal by {order.name} ({head} {score(best.value)})."
        )
    level = [] if math.isnan(best.low) else [placed.metric for placed in with_value[1:] if _overlap(best, placed)]
    beside = f"; its interval overlaps {'that' if len(level) == 1 else 'those'} of {_few(level)}" if level else ""
    return (
        f"{on}{'of' if on else 'Of'} {len(with_value)} metrics, {best.metric} {order.analysis.best_says} "
        f"({order.name}: {head} {_told(best)}){beside}. The worst is {worst.metric} ({_told(worst)})."
    )


def _overlap(one: PlacedMetric, other: PlacedMetric) -> bool:
    return one.low <= other.high and other.low <= one.high


def _told(placed: PlacedMetric) -> str:
    if math.isnan(placed.low):
        return score(placed.value)
    value, low, high = estimate(placed.value, placed.low, placed.high)
    return f"{value}, 95{SPACE}% CI {low} to {high}"


def _few(names: list[str]) -> str:
    return listed(names if len(names) < 4 else [*names[:3], f"{len(names) - 3} more"])
