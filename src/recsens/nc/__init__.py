"""B2: policies for items that a recommender cannot score."""

from recsens.nc._base import NotComputable

__all__ = ["NotComputable"]
