"""C2: metrics, each under its own full name, computed from judged positions."""

from recsens.metrics._base import WHOLE, Judged, MeasuredAt, Metric, TakesCutoff, parse_measured_at

__all__ = ["WHOLE", "Judged", "MeasuredAt", "Metric", "TakesCutoff", "parse_measured_at"]
