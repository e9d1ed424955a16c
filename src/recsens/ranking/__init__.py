"""Ranking: the only loop over users and items; it finds where judged items stand."""

from recsens.ranking._blocks import STRETCH, blocks, stretches
from recsens.ranking._rank import rank
from recsens.ranking._rankings import Rankings

__all__ = ["STRETCH", "Rankings", "blocks", "rank", "stretches"]
