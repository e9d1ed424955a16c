"""Ranking: the only loop over users and items; it finds where judged items stand."""

from recsens.ranking._rank import BLOCK, STRETCH, Rankings, blocks, rank, stretches

__all__ = ["BLOCK", "STRETCH", "Rankings", "blocks", "rank", "stretches"]
