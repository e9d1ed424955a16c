"""C2: metrics, each under its own full name, computed from judged positions."""

from recsens.metrics._base import Judged, MeasuredAt, Metric, parse_measured_at

__all__ = ["Judged", "MeasuredAt", "Metric", "parse_measured_at"]
