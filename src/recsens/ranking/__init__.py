"""Ranking: the only loop over users x items, and where judged items stand in it."""

from recsens.ranking._rank import BLOCK, Rankings, blocks, rank

__all__ = ["BLOCK", "Rankings", "blocks", "rank"]
