"""B2: policies for items that a recommender cannot score."""

from recsens.ranking.nc._base import NotComputable

__all__ = ["NotComputable"]
