"""Scores of score files for a block of users, by the products and sums of our own kernels."""

from recsens.recommenders.score_blocks._blocks import block_of

__all__ = ["block_of"]
