"""What analyses say about the metrics of a study, in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable

from recsens.report.metric_order import JudgedMetric, MetricOrder
from recsens.report.numbers import SPACE, estimate, score
from recsens.report.sentences.conditions import listing


def metrics_judged(orders: Iterable[MetricOrder], *, named: bool) -> list[str]:
    """Say of each analysis which metrics stand first and last; ``named`` says on which data set."""
    return [_sentence(order, named=named) for order in orders if any(not math.isnan(each.value) for each in order.judged)]


def _sentence(order: MetricOrder, *, named: bool) -> str:
    known = [each for each in order.judged if not math.isnan(each.value)]
    on = f" on {order.dataset}" if named else ""
    best, worst = known[0], known[-1]
    among = f"of {len(known)} metrics by {order.name}{on} ({order.analysis.headline})"
    if best.value == worst.value:
        return f"All {len(known)} metrics are equal by {order.name}{on}: {order.analysis.headline} {score(best.value)}."
    level = [each.metric for each in known[1:] if _overlap(best, each)]
    beside = f" Its interval overlaps with that of {_few(level)}." if level and not math.isnan(best.low) else ""
    return f"Best {among}: {_told(best)}; worst: {_told(worst)}.{beside}"


def _overlap(one: JudgedMetric, other: JudgedMetric) -> bool:
    return one.low <= other.high and other.low <= one.high


def _told(each: JudgedMetric) -> str:
    if math.isnan(each.low):
        return f"{each.metric}, {score(each.value)}"
    value, low, high = estimate(each.value, each.low, each.high)
    return f"{each.metric}, {value} (95{SPACE}% CI {low} to {high})"


def _few(names: list[str]) -> str:
    return listing(names if len(names) < 4 else [*names[:3], f"{len(names) - 3} more"])
