"""What analyses say about the metrics of a study, in sentences."""

import math
from collections.abc import Iterable

from recsens.plugins.prose import listed
from recsens.report.metric_order import MetricOrder, PlacedMetric
from recsens.tables.numbers import SPACE, estimate, score


def metrics_judged(orders: Iterable[MetricOrder], *, named: bool) -> list[str]:
    """Say for each analysis which metrics come first and last; ``named`` names the data set."""
    return [_sentence(order, named=named) for order in orders if any(not math.isnan(each.value) for each in order.judged)]


def _sentence(order: MetricOrder, *, named: bool) -> str:
    known = [each for each in order.judged if not math.isnan(each.value)]
    on = f"On {order.dataset}, " if named else ""
    best, worst = known[0], known[-1]
    head = order.analysis.headline
    if best.value == worst.value:
        return f"{on or ''}{'all' if on else 'All'} {len(known)} metrics are equal by {order.name} ({head} {score(best.value)})."
    level = [] if math.isnan(best.low) else [each.metric for each in known[1:] if _overlap(best, each)]
    beside = f"; the interval meets that of {_few(level)}" if level else ""
    return (
        f"{on}{best.metric} {order.analysis.best_says}, of {len(known)} metrics ({order.name}: {head} {_told(best)}){beside}. "
        f"Worst: {worst.metric} ({_told(worst)})."
    )


def _overlap(one: PlacedMetric, other: PlacedMetric) -> bool:
    return one.low <= other.high and other.low <= one.high


def _told(each: PlacedMetric) -> str:
    if math.isnan(each.low):
        return score(each.value)
    value, low, high = estimate(each.value, each.low, each.high)
    return f"{value}, 95{SPACE}% CI {low} to {high}"


def _few(names: list[str]) -> str:
    return listed(names if len(names) < 4 else [*names[:3], f"{len(names) - 3} more"])
