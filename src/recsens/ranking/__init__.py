"""Ranking: the only loop over users and items; it finds where judged items stand."""

from recsens.ranking._rank import BLOCK, Rankings, blocks, rank

__all__ = ["BLOCK", "Rankings", "blocks", "rank"]
