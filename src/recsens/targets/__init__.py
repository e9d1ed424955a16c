"""B2: target items, the items that are ranked for each user."""

from recsens.targets._base import Targets
from recsens.targets._by_rating import ByRating
from recsens.targets._samples import Samples

__all__ = ["ByRating", "Samples", "Targets"]
