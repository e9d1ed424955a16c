"""Rank target items, and find the positions of judged items. This package has the only loop over users and items."""

from recsens.ranking._blocks import STRETCH, Rankings, user_blocks, user_stretches
from recsens.ranking._rank import rank

__all__ = ["STRETCH", "Rankings", "rank", "user_blocks", "user_stretches"]
