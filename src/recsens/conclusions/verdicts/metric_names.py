"""Properties of a metric, looked up by any of its names."""

from functools import cache

from recsens.metrics import MeasuredAt, parse_measured_at


@cache
def measured(metric: str) -> MeasuredAt:
    """Return the metric and cut-off behind a name."""
    return parse_measured_at(metric)[0]


def ranks_systems(metric: str) -> bool:
    """Whether the metric has a better direction, which may be higher or lower values."""
    return not measured(metric).metric.is_descriptive


def direction(metric: str) -> int:
    """Return 1 if higher values are better, else -1."""
    return 1 if measured(metric).metric.higher_is_better else -1
