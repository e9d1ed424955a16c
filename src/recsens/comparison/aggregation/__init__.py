"""Aggregates (decisions C3 and C4), which turn users' values into one value per system."""

from recsens.comparison.aggregation._base import Aggregate, UserMeasures
from recsens.comparison.aggregation._coverage import Cover, counted, identity_gap
from recsens.comparison.aggregation._weighing import effective_number, weighted_user_means
from recsens.moved import renamed

__all__ = ["Aggregate", "Cover", "UserMeasures", "counted", "effective_number", "identity_gap", "weighted_user_means"]


def __getattr__(name: str) -> object:
    return renamed(__name__, name)
