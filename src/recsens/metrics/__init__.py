"""C2: metrics, each under its own full name, computed from judged positions, or from lists."""

from recsens.metrics._area import Area
from recsens.metrics._base import WHOLE, Ignorable, Judged, MeasuredAt, Metric, Reads, TakesCutoff, Unit, parse_measured_at
from recsens.metrics._list_metric import ListMetric
from recsens.metrics._lists import Catalogue, Lists
from recsens.metrics._measuring import measure, measure_judged, scale_of
from recsens.metrics._on_scale import check_scale, on_scale_of, scale_given
from recsens.metrics._overlap import Heads, Overlap, overlaps
from recsens.metrics._predictions import Predictions

__all__ = [
    "WHOLE",
    "Area",
    "Catalogue",
    "Heads",
    "Ignorable",
    "Judged",
    "ListMetric",
    "Lists",
    "MeasuredAt",
    "Metric",
    "Overlap",
    "Predictions",
    "Reads",
    "TakesCutoff",
    "Unit",
    "check_scale",
    "measure",
    "measure_judged",
    "on_scale_of",
    "overlaps",
    "parse_measured_at",
    "scale_given",
    "scale_of",
]
