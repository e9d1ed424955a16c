"""Metrics (decision C2), which are computed from the positions of judged items, or from lists."""

from recsens.arrays import Bools, Floats, Ids, Ints
from recsens.metrics._area_under_curve import Area
from recsens.metrics._base import Ignorable, Metric, Reads, TakesCutoff, Unit, at_every
from recsens.metrics._cutoffs import WHOLE, MeasuredAt, by_metric, parse_measured_at
from recsens.metrics._discounts import DISCOUNT_MEANING, Discount, discount_at
from recsens.metrics._division import capped, capped_share, share
from recsens.metrics._judged import Judged, Memo
from recsens.metrics._list_metric import ListMetric
from recsens.metrics._list_overlap import Heads, Overlap, overlaps
from recsens.metrics._lists import Catalogue, Lists, Moments
from recsens.metrics._names import ALIASES
from recsens.metrics._out_of_scale import Predictions
from recsens.metrics._place_values import PlaceValues
from recsens.metrics._prediction_metric import PredictionMetric
from recsens.metrics._sampling_kernels import chance_table, expect
from recsens.metrics._scale_checks import check_scale, on_scale_of, scale_given
from recsens.metrics._special_cases import LEFT_OUT, by_treatment, short_list, unranked_rating, without_list, without_relevant

__all__ = [
    "ALIASES",
    "DISCOUNT_MEANING",
    "LEFT_OUT",
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
    "PlaceValues",
    "PredictionMetric",
    "Predictions",
    "Reads",
    "TakesCutoff",
    "Unit",
    "at_every",
    "by_metric",
    "by_treatment",
    "capped",
    "capped_share",
    "chance_table",
    "check_scale",
    "discount_at",
    "expect",
    "on_scale_of",
    "overlaps",
    "parse_measured_at",
    "scale_given",
    "share",
    "short_list",
    "unranked_rating",
    "without_list",
    "without_relevant",
]
