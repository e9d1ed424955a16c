"""B2: what becomes of items for which a recommender cannot compute a score."""

from recsens.nc._base import NotComputable

__all__ = ["NotComputable"]
