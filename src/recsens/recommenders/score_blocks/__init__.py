"""Scores of a score file for a block of users, computed by recsens's own kernels for products and sums."""

from recsens.recommenders.score_blocks._blocks import block_of

__all__ = ["block_of"]
