"""Rank target items, and find the positions of judged items. This package has the only loop over users and items."""

from recsens.ranking._positions import Rankings
from recsens.ranking._rank import STRETCH, blocks, rank, stretches

__all__ = ["STRETCH", "Rankings", "blocks", "rank", "stretches"]
