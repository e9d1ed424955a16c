"""Metrics (decision C2), which are computed from the positions of judged items, or from lists."""

from recsens.arrays import Bools, Floats, Ids, Ints
from recsens.metrics._base import Area, Ignorable, Metric, Reads, TakesCutoff, Unit, at_every, capped, capped_share, share
from recsens.metrics._cutoffs import WHOLE, MeasuredAt, by_metric, parse_measured_at
from recsens.metrics._gains import DISCOUNT_MEANING, Discount, discount_at
from recsens.metrics._judged import ByPlace, Judged, Memo, Rule
from recsens.metrics._kernels import fill_chance_table, fill_expected
from recsens.metrics._lists import Catalogue, Heads, ItemCountMetric, ListMetric, Lists, Moments, Overlap, overlaps
from recsens.metrics._names import ALIASES
from recsens.metrics._place_values import PlaceValues
from recsens.metrics._predictions import PredictionMetric, Predictions
from recsens.metrics._special_cases import LEFT_OUT, by_treatment, short_list, unranked_rating, without_list, without_relevant
from recsens.moved import renamed

__all__ = ["ByPlace", "Floats", "Judged", "ListMetric", "Lists", "Metric", "PredictionMetric", "Predictions"]


def __getattr__(name: str) -> object:
    return renamed(__name__, name)
