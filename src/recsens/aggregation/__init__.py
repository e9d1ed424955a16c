"""C3 and C4: from one value a user to one value a system."""

from recsens.aggregation._base import Aggregate, Scores

__all__ = ["Aggregate", "Scores"]
