"""Policies for items that a recommender cannot score (decision B2)."""

from recsens.ranking.nc._base import NotComputable

__all__ = ["NotComputable"]
