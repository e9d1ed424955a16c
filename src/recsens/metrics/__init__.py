"""C2: metrics, each under its own full name, of judged positions or of lists."""

from recsens.arrays import Bools, Floats, Ids, Ints
from recsens.metrics._aliases import ALIASES
from recsens.metrics._area import Area
from recsens.metrics._base import WHOLE, Ignorable, MeasuredAt, Metric, Reads, TakesCutoff, Unit, at_every, parse_measured_at
from recsens.metrics._discounts import DISCOUNT_MEANING, Discount, discount_at
from recsens.metrics._judged import Judged
from recsens.metrics._list_metric import ListMetric
from recsens.metrics._lists import Catalogue, Lists, Moments
from recsens.metrics._memo import Memo
from recsens.metrics._on_scale import check_scale, on_scale_of, scale_given
from recsens.metrics._overlap import Heads, Overlap, overlaps
from recsens.metrics._prediction_metric import PredictionMetric
from recsens.metrics._predictions import Predictions
from recsens.metrics._shares import capped, capped_share, share

__all__ = [
    "ALIASES",
    "DISCOUNT_MEANING",
    "WHOLE",
    "Area",
    "Bools",
    "Catalogue",
    "Discount",
    "Floats",
    "Heads",
    "Ids",
    "Ignorable",
    "Ints",
    "Judged",
    "ListMetric",
    "Lists",
    "MeasuredAt",
    "Memo",
    "Metric",
    "Moments",
    "Overlap",
    "PredictionMetric",
    "Predictions",
    "Reads",
    "TakesCutoff",
    "Unit",
    "at_every",
    "capped",
    "capped_share",
    "check_scale",
    "discount_at",
    "on_scale_of",
    "overlaps",
    "parse_measured_at",
    "scale_given",
    "share",
]
