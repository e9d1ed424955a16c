"""Rank target items, and find the positions of judged items. This package has the only loop over users and items."""

from recsens.ranking._blocks import STRETCH, blocks, stretches
from recsens.ranking._rank import rank
from recsens.ranking._rankings import Rankings

__all__ = ["STRETCH", "Rankings", "blocks", "rank", "stretches"]
