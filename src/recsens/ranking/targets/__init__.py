"""Target items: the items that are ranked for each user (decision B2)."""

from recsens.ranking.targets._base import Targets
from recsens.ranking.targets._by_rating import ByRating
from recsens.ranking.targets._random_stream import target_stream
from recsens.ranking.targets._sample_sizes import Samples

__all__ = ["ByRating", "Samples", "Targets", "target_stream"]
