"""C2: metrics, each under its own full name, of judged positions or of lists."""

from recsens.metrics._aliases import ALIASES
from recsens.metrics._area import Area
from recsens.metrics._base import WHOLE, Ignorable, Judged, MeasuredAt, Metric, Reads, TakesCutoff, Unit, parse_measured_at
from recsens.metrics._discounts import DISCOUNT_MEANING, Discount, discount_at
from recsens.metrics._list_metric import ListMetric
from recsens.metrics._lists import Catalogue, Lists, Moments
from recsens.metrics._memo import Memo
from recsens.metrics._on_scale import check_scale, on_scale_of, scale_given
from recsens.metrics._overlap import Heads, Overlap, overlaps
from recsens.metrics._predictions import Predictions
from recsens.metrics._shares import capped, share
from recsens.metrics._whole import at_every

__all__ = [
    "ALIASES",
    "DISCOUNT_MEANING",
    "WHOLE",
    "Area",
    "Catalogue",
    "Discount",
    "Heads",
    "Ignorable",
    "Judged",
    "ListMetric",
    "Lists",
    "MeasuredAt",
    "Memo",
    "Metric",
    "Moments",
    "Overlap",
    "Predictions",
    "Reads",
    "TakesCutoff",
    "Unit",
    "at_every",
    "capped",
    "check_scale",
    "discount_at",
    "on_scale_of",
    "overlaps",
    "parse_measured_at",
    "scale_given",
    "share",
]
