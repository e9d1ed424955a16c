"""Target items: the items that are ranked for each user (decision B2)."""

from recsens.ranking.targets._base import ByRating, Samples, Targets, target_stream

__all__ = ["ByRating", "Samples", "Targets", "target_stream"]
